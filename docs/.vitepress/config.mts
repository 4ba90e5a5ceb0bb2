import { defineConfig } from "vitepress";

export default defineConfig({
	title: "Baton",
	description: "Player data for Roblox servers",
	cleanUrls: true,
	lastUpdated: false,
	themeConfig: {
		search: { provider: "local" },
		nav: [
			{ text: "Guide", link: "/getting-started" },
			{ text: "API", link: "/api/" },
		],
		sidebar: [
			{
				text: "Start",
				items: [
					{ text: "Getting started", link: "/getting-started" },
					{ text: "How a session lives", link: "/sessions" },
					{ text: "Data rules", link: "/data" },
					{ text: "Moving over", link: "/moving-over" },
				],
			},
			{
				text: "Between servers",
				items: [
					{ text: "Lock handoff", link: "/lock-handoff" },
					{ text: "Trades", link: "/trades" },
					{ text: "Transactions", link: "/transactions" },
					{ text: "Lockless profiles", link: "/lockless" },
					{ text: "Receipts", link: "/receipts" },
				],
			},
			{
				text: "Around it",
				items: [
					{ text: "Backends and Studio", link: "/backends" },
					{ text: "Testing your game", link: "/testing" },
					{ text: "Limits and cost", link: "/cost" },
					{ text: "Check on Roblox", link: "/live-check" },
					{ text: "Troubleshooting", link: "/troubleshooting" },
				],
			},
			{
				text: "Look up",
				items: [
					{ text: "Reference", link: "/reference" },
					{ text: "Names", link: "/names" },
					{ text: "API", link: "/api/" },
					{ text: "Changelog", link: "/changelog" },
				],
			},
		],
	},
});
