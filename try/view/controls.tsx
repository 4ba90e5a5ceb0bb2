import { type Address, isSeed } from "../address.ts";
import { speeds } from "../playback/speeds.ts";
import type { Playback } from "../playback/usePlayback.ts";

interface Props {
	readonly playback: Playback;
	readonly at: number;
	readonly address: Address;
	readonly onRestart: () => void;
	readonly onChange: (next: Partial<Address>) => void;
}

/** Playing, speed, latency and seed. */
export function Controls({ playback, at, address, onRestart, onChange }: Props) {
	const { isPlaying, play, pause, step } = playback;
	return (
		<>
			<div class="bar">
				<button type="button" class="main" onClick={isPlaying ? pause : play}>
					{isPlaying ? "Pause" : "Play"}
				</button>
				<button
					type="button"
					aria-label="Step back"
					onClick={() => {
						step(-1);
					}}
				>
					‹<span class="word"> Step</span>
				</button>
				<button
					type="button"
					aria-label="Step"
					onClick={() => {
						step(1);
					}}
				>
					<span class="word">Step </span>›
				</button>
				<button type="button" onClick={onRestart}>
					Restart
				</button>
				<output class="clock" aria-label="Virtual time">
					{at.toFixed(2)} s
				</output>
			</div>
			<div class="options">
				<fieldset class="speeds">
					<legend>Speed</legend>
					{speeds.map((speed) => (
						<label key={speed}>
							<input
								type="radio"
								name="speed"
								value={speed}
								checked={address.speed === speed}
								onChange={() => {
									onChange({ speed });
								}}
							/>
							<span>{speed === 0.25 ? "¼" : speed}×</span>
						</label>
					))}
				</fieldset>
				<label>
					Services
					<select
						id="latency"
						value={address.latency}
						onChange={({ currentTarget }) => {
							onChange({ latency: currentTarget.value === "fast" ? "fast" : "live", mishaps: [] });
						}}
					>
						<option value="live">as on Roblox</option>
						<option value="fast">quick</option>
					</select>
				</label>
				<label>
					Seed
					<input
						id="seed"
						type="number"
						min={0}
						step={1}
						inputMode="numeric"
						value={address.seed}
						onChange={({ currentTarget }) => {
							const seed = Number(currentTarget.value);
							if (currentTarget.value !== "" && isSeed(seed)) onChange({ seed, mishaps: [] });
							else currentTarget.value = String(address.seed);
						}}
					/>
				</label>
				<p class="quiet keys">Keys: space plays, ← and → step, Home restarts.</p>
			</div>
		</>
	);
}
