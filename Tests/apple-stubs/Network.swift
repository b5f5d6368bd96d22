// What the adapters use of Network.

// iOS 12.0: https://developer.apple.com/documentation/network/nwpath
public struct NWPath: Sendable {
    // iOS 12.0: https://developer.apple.com/documentation/network/nwpath/status-swift.enum
    public enum Status: Sendable {
        // iOS 12.0: https://developer.apple.com/documentation/network/nwpath/status-swift.enum/satisfied
        case satisfied
        // iOS 12.0: https://developer.apple.com/documentation/network/nwpath/status-swift.enum/unsatisfied
        case unsatisfied
        // iOS 12.0: https://developer.apple.com/documentation/network/nwpath/status-swift.enum/requiresconnection
        case requiresConnection
    }
    // iOS 12.0: https://developer.apple.com/documentation/network/nwpath/status-swift.property
    public var status: Status { fatalError() }
}

// iOS 12.0: https://developer.apple.com/documentation/network/nwpathmonitor
public final class NWPathMonitor: AsyncSequence {
    // iOS 12.0: https://developer.apple.com/documentation/network/nwpathmonitor/init()
    public init() {}
    // iOS 17.0: https://developer.apple.com/documentation/network/nwpathmonitor/makeasynciterator()
    public func makeAsyncIterator() -> Iterator { fatalError() }

    // iOS 17.0: https://developer.apple.com/documentation/network/nwpathmonitor/iterator
    public struct Iterator: AsyncIteratorProtocol {
        // iOS 17.0: https://developer.apple.com/documentation/network/nwpathmonitor/iterator/next()
        public mutating func next() async -> NWPath? { fatalError() }
    }
}
