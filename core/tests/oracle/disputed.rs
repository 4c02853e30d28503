//! Points on which the rules can be read in two ways: `true` is the reading of the model's author, taken by the machine too;
//! `false` is the machine's, which the model follows. Each says what the first reading is.

/// Rule 19: a second `initialize` announces that the old connection's project is gone.
pub const ANNOUNCE_LOSS_ON_INITIALIZE: bool = true;

/// Rule 24: all candidates of a list are probed at once, not one after the other.
pub const PROBE_ALL_CANDIDATES: bool = true;

/// `Source::places` names `remembered`: what is remembered is judged again, by its own source's `verify` and `places`.
pub const JUDGE_REMEMBERED: bool = false;

/// Rule 11: an ask whose request failed goes on without, also when another ask has sent a new request since.
pub const GO_WITHOUT_FOR_GOOD: bool = true;

/// `onChange: refetch`: a change has the roots asked for at once, also where every ask asks anew.
pub const REFETCH_WITH_EACH_REQUEST: bool = true;

/// `HostFacts::allowed`, rule 24: a root that a tool selects by its name is judged like one it selects by path: it must be
/// inside the operator's folders, and on disk.
pub const JUDGE_SELECTED_ROOT: bool = true;

/// `names: roots`: a root that a tool selects by its name is one of the roots, also where `rootMatch` is `exactUri`.
pub const NAMED_ROOT_IS_AMONG_ROOTS: bool = true;

/// Rule 4: a selection refused because its call is modern leaves nothing behind, not even a probe for the connection.
pub const MODERN_SELECTION_PROBES_NOTHING: bool = true;

/// `onChange: invalidate`: a change sends nothing by itself, also when it came while a request was in flight.
pub const INVALIDATE_SENDS_NOTHING: bool = false;

/// `nonFile: nameOnly`: a root that is taken as a project has no problem, and its list is not all invalid.
pub const NAME_ONLY_ROOTS_ARE_READ: bool = false;

/// `onUnusable: accept`: a root is taken although the disk says otherwise, so also when the disk says nothing.
pub const ACCEPT_UNCONFIRMED_ROOTS: bool = true;

/// Rule 11: only `rootsChanged` and `initialize` let a client be asked again that said "unsupported"; a list that the host
/// was given some other way does not.
pub const HOST_LIST_CLEARS_NOTHING: bool = true;

/// `nonFile`, `barePaths`: a root that is no project by the policy does not become one because a tool selects it.
pub const SELECTED_NON_FILE_IS_REFUSED: bool = true;

/// `nameFrom: rawBasename`: a root that is a file stands for its folder, and is named after the folder, not the file.
pub const NAME_FOLLOWS_THE_FOLDER: bool = true;

/// Rule 26: a root that is a file means its parent, also when a tool selects it.
pub const SELECTED_FILE_MEANS_PARENT: bool = false;

/// `format: list`: the first usable part counts, also where `onBad` says `error` and the value as a whole is no path.
pub const PARTS_BEFORE_ERROR: bool = true;

/// "To settle an event is to look at every waiting ask again": also when the event is another ask.
pub const ASKS_LOOK_AT_ALL: bool = true;

/// Rule 24: what the connection knows of a path stays known to an ask, although a probe of the same path that somebody
/// else had opened ran out while the ask waited.
pub const KNOWN_BEATS_UNCONFIRMED: bool = true;

/// A selection that had to wait is there for the asks that came before it in the same event, as one that is made at once is.
pub const LATE_SELECTION_SETTLES_ALL: bool = true;

/// Rule 8: a policy without a `roots` source asks only for an ask that wants roots, or a selection: never eagerly.
pub const NOTHING_UNASKED_WITHOUT_ROOTS_SOURCE: bool = true;

/// A later reply about a path that did not ask for markers does not undo what an earlier one said about them.
pub const REPLIES_ADD_UP: bool = true;

/// Rule 16: a pin stands ahead of every connection source, so none of them is looked up for the connection.
pub const PIN_SPARES_THE_LOOK: bool = true;

/// `files: refuse`: a root that is a file stands for nothing, also where `verify` is `exists`.
pub const REFUSED_FILE_IS_REFUSED: bool = true;

/// Rules 4 and 24: what a modern ask, or another call's value, had looked up changes nothing for an ask that already knows.
pub const HEARSAY_STAYS_OUT: bool = true;

/// Rule 12: where nothing may be sent outside a call, a change only marks the list stale: it arms nothing for an ask that
/// does not wait for roots.
pub const CHANGE_ARMS_NOTHING_WITHOUT_PUSH: bool = true;

/// Rule 15: what suspends a selection is the newest list the client gave, for an ask as for the connection, also while a
/// newer one is awaited.
pub const NEWEST_LIST_SUSPENDS: bool = true;

/// Rule 22: a bad value is judged before ranking, also where the ask would otherwise end without a project.
pub const ENDS_WAIT_FOR_JUDGEMENT: bool = true;

/// Rule 24: what was looked up for a selection that came to nothing serves no source of the connection later.
pub const REFUSED_SELECTION_TEACHES_NOTHING: bool = true;

/// Rules 4 and 12: a selection refused because its call is modern does not have a request sent that was put off.
pub const MODERN_SELECTION_SENDS_NOTHING: bool = true;

/// A list that came since the ask is never too old for it, also if the ask did not wait for it.
pub const LIST_SINCE_ASK_IS_NEW: bool = false;
