import { useCallback, useEffect, useMemo, useState } from "preact/hooks";
import { type Address, readAddress, writeAddress } from "../address.ts";
import { useRecording } from "../playback/useRecording.ts";
import { CaseList } from "./caseList.tsx";
import { Show } from "./show.tsx";

/** The whole page. */
export function App() {
	const [address, setAddress] = useState(() => readAddress(location.search));
	const change = useCallback((next: Partial<Address>) => {
		setAddress((old) => ({ ...old, ...next }));
	}, []);
	useEffect(() => {
		history.replaceState(null, "", writeAddress(address));
	}, [address]);
	const played = useRecording(address);
	const info = useMemo(() => played.cases.find(({ id }) => id === address.case), [played.cases, address.case]);

	return (
		<>
			<header class="top">
				<h1>Watch a profile change hands</h1>
				<p>
					Baton keeps a player's data on one server at a time. What you see is the package itself, compiled to
					Luau and run in your browser on an emulated Roblox cloud; the time is virtual.
				</p>
			</header>
			<main>
				<CaseList address={address} title={info?.title} onChange={change} />
				{played.problem !== undefined && (
					<p class="problem" role="alert">
						{played.problem}
					</p>
				)}
				{played.recording !== undefined && info !== undefined && played.of !== undefined ? (
					<Show
						key={`${played.of.case} ${played.of.seed} ${played.of.latency}`}
						recording={played.recording}
						of={played.of}
						info={info}
						address={address}
						isBusy={played.isBusy}
						onChange={change}
					/>
				) : (
					played.problem === undefined && (
						<p class="loading" role="status">
							Starting the Luau VM…
						</p>
					)
				)}
			</main>
		</>
	);
}
