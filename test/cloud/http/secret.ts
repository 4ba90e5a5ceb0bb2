import { HttpSecret } from "../../../src/platform/platform";

/** A secret's text, kept out of its users' sight: only the http double reads it. */
const texts = new WeakMap<object, string>();

/** `Secret`: opaque, and printed as nothing that helps. */
class EmulatedSecret implements HttpSecret {
	public constructor(text: string) {
		texts.set(this, text);
	}

	public AddPrefix(prefix: string): HttpSecret {
		return new EmulatedSecret(prefix + revealSecret(this));
	}

	public AddSuffix(suffix: string): HttpSecret {
		return new EmulatedSecret(revealSecret(this) + suffix);
	}

	public toString(): string {
		return "Secret";
	}
}

/** A secret of this text. */
export function createSecret(text: string): HttpSecret {
	return new EmulatedSecret(text);
}

/** The text of a secret, or a plain text itself. */
export function revealSecret(value: string | HttpSecret): string {
	return typeIs(value, "string") ? value : (texts.get(value) ?? error("not a secret", 2));
}
