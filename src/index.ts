export { BatonError, ErrorType, LockHolder } from "./errors";
export { Platform } from "./platform/platform";
export { robloxPlatform } from "./platform/roblox";
export { Err, Ok, Result } from "./result";
