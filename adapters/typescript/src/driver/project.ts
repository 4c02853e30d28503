import type { Project as AnyProject, SharedBy } from "../generated/types.js";

/**
 * The project of a call. Its `path` is a folder that this process can use; only a `Project<false>`, which comes with the
 * option `requirePath: false`, may be without one.
 */
export type Project<RequirePath extends boolean = true> = [RequirePath] extends [true]
  ? AnyProject & { path: string }
  : AnyProject;

/** The connection that a change belongs to. */
export interface ConnectionInfo {
  /** Unique among the connections of one object. */
  readonly id: number;
  /** The client's name for itself, as it sent it. */
  readonly client: string | undefined;
  /** Whether the connection ended with this change. */
  readonly ended: boolean;
  /**
   * What the projects share: the same `checkout` of a repository, or the same `repository` in another worktree or clone. If absent, it is
   * another project.
   */
  readonly shared?: SharedBy | undefined;
}

/** Receives the connection's new project and the previous one, where `undefined` stands for none, and the connection. */
export type ProjectListener<RequirePath extends boolean = true> = (
  project: Readonly<Project<RequirePath>> | undefined,
  previous: Readonly<Project<RequirePath>> | undefined,
  connection: ConnectionInfo,
) => void;
