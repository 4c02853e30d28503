import type { Project as AnyProject } from "../generated/types.js";

/**
 * The project of a call. Its `path` is a folder that this process can use; only a `Project<false>`, which comes with the
 * option `requirePath: false`, may be without one.
 */
export type Project<RequirePath extends boolean = true> = [RequirePath] extends [true] ? AnyProject & { path: string } : AnyProject;

/** Receives the connection's new project and the previous one; `undefined` stands for none. */
export type ProjectListener<RequirePath extends boolean = true> = (
  project: Readonly<Project<RequirePath>> | undefined,
  previous: Readonly<Project<RequirePath>> | undefined,
) => void;
