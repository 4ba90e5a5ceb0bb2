import eslint from "@eslint/js";
import prettier from "eslint-config-prettier";
import roblox from "eslint-plugin-roblox-ts";
import tseslint from "typescript-eslint";

const luauFiles = [
	"src/**/*.ts",
	"test/specs/**/*.ts",
	"test/cloud/**/*.ts",
	"test/story/**/*.ts",
	"test/simulation/**/*.ts",
	"test/studio/**/*.ts",
	"bench/**/*.ts",
];
const toolFiles = ["tools/**/*.ts"];
const pageFiles = ["try/**/*.ts", "try/**/*.tsx"];

const platformOnly =
	"Only src/platform/roblox.ts may reach Roblox: take it from the Platform, so that it runs on the emulated cloud.";

export default tseslint.config(
	{
		ignores: [
			"out/**",
			"build/**",
			"include/**",
			"test/consumer/**",
			"example/**",
			"**/node_modules/**",
			"docs/.vitepress/cache",
			"docs/.vitepress/dist",
			"docs/api",
		],
	},
	{ linterOptions: { reportUnusedDisableDirectives: "error" } },
	eslint.configs.recommended,
	{
		files: [...luauFiles, ...toolFiles, ...pageFiles],
		extends: [tseslint.configs.recommendedTypeChecked],
		rules: {
			"@typescript-eslint/array-type": ["error", { default: "generic" }],
			"@typescript-eslint/no-non-null-assertion": "off",
			"@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_" }],
			"@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true, allowBoolean: true }],
			"@typescript-eslint/switch-exhaustiveness-check": "error",
			eqeqeq: "error",
			"no-undef": "off",
			"prefer-const": "error",
		},
	},
	{
		files: luauFiles,
		extends: [roblox.configs.recommended],
		languageOptions: {
			parserOptions: {
				projectService: false,
				project: ["./tsconfig.test.json"],
				tsconfigRootDir: import.meta.dirname,
			},
		},
		rules: {
			// Luau's tostring makes text of anything, and Roblox's own methods return several values.
			"@typescript-eslint/restrict-template-expressions": "off",
			"roblox-ts/no-user-defined-lua-tuple": "off",
			"no-restricted-imports": ["error", { paths: [{ name: "@rbxts/services", message: platformOnly }] }],
			"no-restricted-globals": [
				"error",
				...[
					"game",
					"workspace",
					"task",
					"os",
					"tick",
					"time",
					"warn",
					"DateTime",
					"wait",
					"delay",
					"spawn",
				].map((name) => ({ name, message: platformOnly })),
			],
		},
	},
	{
		files: ["src/platform/roblox.ts", "test/studio/**/*.ts", "bench/peers/*Game.ts"],
		rules: { "no-restricted-imports": "off", "no-restricted-globals": "off" },
	},
	{
		files: toolFiles,
		rules: {
			"@typescript-eslint/no-floating-promises": [
				"error",
				{
					allowForKnownSafeCalls: [
						{ from: "package", package: "node:test", name: ["test", "before", "after"] },
					],
				},
			],
		},
		languageOptions: {
			parserOptions: {
				projectService: false,
				project: ["./tools/tsconfig.json"],
				tsconfigRootDir: import.meta.dirname,
			},
		},
	},
	{
		files: pageFiles,
		languageOptions: {
			parserOptions: {
				projectService: false,
				project: ["./try/tsconfig.json"],
				tsconfigRootDir: import.meta.dirname,
			},
		},
	},
	{
		files: ["**/*.mjs"],
		languageOptions: { globals: { process: "readonly", URL: "readonly", console: "readonly" } },
	},
	prettier,
);
