/// <reference types="@rbxts/testez/globals" />

/**
 * Starts an empty web server on this machine and returns its URL, for specs over real HTTP: one that enforces
 * preconditions, one that ignores them, or one that tells no ETags. Undefined where the specs run in Studio.
 */
declare const __BATON_LOOPBACK: ((kind: "enforcing" | "ignoring" | "untagged") => string) | undefined;

/**
 * Loads a module of this place, by path, on an emulated server, with a copy of its own of all that it requires, whose
 * `game` is that server's: how a library that knows only Roblox runs there. Undefined where the specs run in Studio.
 */
declare const __BATON_BOOT: ((server: unknown, ...path: Array<string>) => unknown) | undefined;
