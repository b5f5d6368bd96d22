import ServiceLifecycle

extension Task where Success == Never, Failure == Never {
    /// Whether the current task is cancelled or its service shuts down: work in batches ends with the one in hand.
    public static var isEnding: Bool { isCancelled || isShuttingDownGracefully }
}
