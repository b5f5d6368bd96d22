// What the adapters use of Apple's Dispatch and is not in Linux's.
import Dispatch

// iOS 12.0: https://developer.apple.com/documentation/dispatch/dispatchserialqueue
// Apple's is a DispatchQueue, from which nothing can inherit outside of Linux's Dispatch.
public final class DispatchSerialQueue: SerialExecutor {
    // iOS 17.0: https://developer.apple.com/documentation/dispatch/dispatchserialqueue
    public init(label: String) {}
    // iOS 17.0: https://developer.apple.com/documentation/swift/serialexecutor/enqueue(_:)
    public func enqueue(_ job: consuming ExecutorJob) {}
}
