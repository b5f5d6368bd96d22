import ServiceLifecycle

extension Task where Success == Never, Failure == Never {
    /// Whether the current task is cancelled or its service shuts down: work in batches then ends after the current item.
    public static var isEnding: Bool { isCancelled || isShuttingDownGracefully }
}
