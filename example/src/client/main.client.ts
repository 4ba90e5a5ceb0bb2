import { MarketplaceService, Players, ReplicatedStorage } from "@rbxts/services";

const player = Players.LocalPlayer;
const command = ReplicatedStorage.WaitForChild("Command") as RemoteEvent;
const panel = ReplicatedStorage.WaitForChild("Panel") as RemoteEvent;
const COIN_PACK = 1234567;

const gui = new Instance("ScreenGui");
gui.ResetOnSpawn = false;
gui.Parent = player.WaitForChild("PlayerGui");
const column = new Instance("Frame");
column.Size = UDim2.fromOffset(420, 0);
column.AutomaticSize = Enum.AutomaticSize.Y;
column.Position = UDim2.fromOffset(12, 12);
column.BackgroundTransparency = 0.3;
column.Parent = gui;
new Instance("UIListLayout").Parent = column;

function label(): TextLabel {
	const text = new Instance("TextLabel");
	text.Size = UDim2.fromOffset(420, 0);
	text.AutomaticSize = Enum.AutomaticSize.Y;
	text.TextXAlignment = Enum.TextXAlignment.Left;
	text.TextWrapped = true;
	text.TextSize = 15;
	text.Text = "";
	text.Parent = column;
	return text;
}

function button(text: string, press: () => void): void {
	const made = new Instance("TextButton");
	made.Size = UDim2.fromOffset(420, 28);
	made.TextSize = 15;
	made.Text = text;
	made.Parent = column;
	made.Activated.Connect(press);
}

const answer = label();
command.OnClientEvent.Connect((text) => (answer.Text = tostring(text)));
button("Offer my item to somebody for 10 coins", () => {
	const other = Players.GetPlayers().find((each) => each !== player);
	if (other !== undefined) command.FireServer("offer", other.UserId, 10);
});
button("Accept the offer", () => command.FireServer("accept"));
button("Give 10 coins to the guild", () => command.FireServer("donate", "Foxes", 10));
button("Buy coins", () => MarketplaceService.PromptProductPurchase(player, COIN_PACK));
button("Hop to the other place", () => command.FireServer("hop"));

// The server sends this to developers alone.
let isDeveloper = false;
const status = label();
panel.OnClientEvent.Connect((text) => {
	status.Text = tostring(text);
	if (isDeveloper) return;
	isDeveloper = true;
	button("Stall saves on this server", () => command.FireServer("press", "stall"));
	button("Stop beats of this server", () => command.FireServer("press", "mute"));
	button("Drop this server", () => command.FireServer("press", "drop"));
});
