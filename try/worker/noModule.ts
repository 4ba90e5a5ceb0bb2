/** Stands for Node's `module`, which luau-web's loader imports in Node alone. */
export {};
