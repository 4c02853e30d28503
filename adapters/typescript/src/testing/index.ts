/**
 * For tests of servers: a fixed project, and a machine with files, clients and time of its own.
 *
 * @module rootwise/testing
 */
/// <reference lib="esnext.disposable" preserve="true" />
export {
  FakeClient,
  type FakeClientOptions,
  type FakeForm,
  type FakeFormResult,
  type FakeRequest,
  type FakeResult,
  type FakeRoot,
  type FakeServer,
} from "./client.js";
export { FakeDisk } from "./disk.js";
export { type FixedProject, fixedProject, type FixedProjectOptions } from "./fixed.js";
export { type FakeHost, fakeHost, type FakeHostOptions } from "./host.js";
export { clientLike, type ClientLikeOptions, type LikeClient } from "./like.js";
