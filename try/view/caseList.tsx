import type { Address } from "../address.ts";
import { caseOf, groups } from "../cases.ts";

interface Props {
	readonly address: Address;
	/** The case in the story's words, once it is known. */
	readonly title?: string;
	readonly onChange: (next: Partial<Address>) => void;
}

/** Chooses the case; what it is about. */
export function CaseList({ address, title, onChange }: Props) {
	return (
		<div class="cases">
			<label for="case">Case</label>
			<select
				id="case"
				value={address.case}
				onChange={({ currentTarget }) => {
					const { id, speed } = caseOf(currentTarget.value);
					onChange({ case: id, speed, mishaps: [] });
				}}
			>
				{groups.map((group) => (
					<optgroup key={group.title} label={group.title}>
						{group.cases.map(({ id, name }) => (
							<option key={id} value={id}>
								{name}
							</option>
						))}
					</optgroup>
				))}
			</select>
			<p class="title">{title ?? "\u00a0"}</p>
		</div>
	);
}
