export { MemoryDriver, MemoryDriverOptions, MemoryRead, MemorySet } from "./cloud/memoryDriver";
export { MessageDriver, MessageDriverOptions, Subscription } from "./cloud/messageDriver";
export { Job, JobOptions, JobPriority, Scheduler, SchedulerLike, SchedulerOptions } from "./cloud/scheduler";
export { BatonError, ErrorType, LockHolder } from "./errors";
export { Platform } from "./platform/platform";
export { robloxPlatform } from "./platform/roblox";
export { Err, Ok, Result } from "./result";
