import Blocking

/// Where files of one purpose are kept while they are needed, without names.
struct Scratch: Sendable {
    let folder: String
    let quota: ScratchQuota
    /// The threads that write and read the files.
    let executors: [BlockingExecutor]
}

/// No disk space or quota is left for another file.
struct NoScratchSpace: Error {}
