import { type CaseInfo, keepsPromise, type Promised } from "../../tools/story/case.ts";
import type { Recording } from "../../tools/story/recording.ts";
import { traceHash } from "../../tools/story/traceHash.ts";
import type { Latency } from "../address.ts";

interface Props {
	readonly recording: Recording;
	readonly info: CaseInfo;
	readonly latency: Latency;
	readonly seed: number;
	readonly isOver: boolean;
}

const WORDS: Record<string, string> = {
	joined: "The player is in, with everything earned.",
	kicked: "The player is sent away; the record is as it was, and its holder goes on.",
	kept: "Nothing was disturbed.",
	committed: "Committed: everybody has what they are due, whoever loads it.",
	aborted: "It did not take place: both have what they had before.",
	stale: "The player is in, with older data.",
	stolen: "The lock was taken from a server that lives.",
	refused: "It did not end as the case promises.",
	unknown: "The outcome is not known.",
};

/** At the end: what happened, how long it took, and what was promised. */
export function Verdict({ recording, info, latency, seed, isOver }: Props) {
	const { measured, failure, mishaps, timeline } = recording;
	const isPlain = mishaps.length === 0;
	const isKept = measured !== undefined && failure === undefined && keepsPromise(info.promised, measured, latency);
	const tone = isKept ? "kept" : isPlain || measured !== undefined ? "broken" : "open";
	return (
		<section
			class={`verdict ${isOver ? tone : "pending"}`}
			aria-live="polite"
			aria-label="Verdict"
			data-over={isOver}
			data-outcome={measured?.outcome ?? ""}
			data-wait={measured?.waitSeconds ?? ""}
			data-trace={traceHash(timeline)}
		>
			<h2>Verdict</h2>
			{!isOver && <p class="quiet">At the end of the case.</p>}
			{isOver && (
				<>
					{measured === undefined ? (
						<p class="what">The case could not go on: {(failure ?? "").split("\n")[0]}</p>
					) : (
						<p class="what">{WORDS[measured.outcome] ?? measured.outcome}</p>
					)}
					<dl>
						{measured !== undefined && (
							<>
								<div>
									<dt>It took</dt>
									<dd>{measured.waitSeconds.toFixed(2)} s</dd>
								</div>
								<div>
									<dt>It cost</dt>
									<dd>{costOf(measured)}</dd>
								</div>
							</>
						)}
						<div>
							<dt>Promised</dt>
							<dd>
								{promiseText(info.promised, latency)}
								{isKept
									? ", and kept"
									: isPlain
										? ", and broken"
										: "; with your faults it may end otherwise"}
							</dd>
						</div>
						<div>
							<dt>Trace</dt>
							<dd>
								<code>{traceHash(timeline)}</code>
								{isPlain && <span class="quiet"> as in {commandOf(info.id, latency, seed)}</span>}
							</dd>
						</div>
					</dl>
				</>
			)}
		</section>
	);
}

/** The command that plays the same without a browser. */
function commandOf(id: string, latency: Latency, seed: number): string {
	return `npm start -- ${id}${latency === "live" ? " --live" : ""}${seed === 1 ? "" : ` --seed ${seed}`}`;
}

function costOf({ durableWrites, removes, messages }: NonNullable<Recording["measured"]>): string {
	const parts = [count(durableWrites, "write")];
	if (removes > 0) parts.push(count(removes, "removal"));
	if (messages > 0) parts.push(count(messages, "message"));
	return parts.join(", ");
}

function count(many: number, what: string): string {
	return `${many} ${what}${many === 1 ? "" : "s"}`;
}

function promiseText({ outcome, minSeconds, maxSeconds, fastMaxSeconds }: Promised, latency: Latency): string {
	const most = latency === "fast" ? (fastMaxSeconds ?? maxSeconds) : maxSeconds;
	if (minSeconds !== undefined && most !== undefined) return `${outcome}, after ${minSeconds} to ${most} s`;
	if (most !== undefined) return `${outcome}, within ${most} s`;
	return minSeconds !== undefined ? `${outcome}, after ${minSeconds} s` : outcome;
}
