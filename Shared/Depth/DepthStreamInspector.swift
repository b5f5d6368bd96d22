/// Validates a depth part while it is streamed, without storing it: it must be one complete DEFLATE stream of bounded length.
///
/// An instance checks one stream and is not `Sendable`.
public final class DepthStreamInspector {
    private let stream: InflatedStream<Nothing>

    /// - Parameter limit: the maximum number of inflated bytes.
    public init(limit: Int = DepthMap.maximumBytes) { stream = InflatedStream(limit: limit, Nothing()) }

    /// Feeds the next bytes of the part, in chunks of any size.
    /// - Throws: ``DepthError``: `corrupt`, `tooLong`, `trailingBytes`. The inspector must not be used afterwards.
    public func update(_ bytes: some Sequence<UInt8>) throws(DepthError) { try stream.update(bytes) }

    /// Call at the end of the part.
    /// - Returns: the number of inflated bytes, to be compared with width × height × 4.
    /// - Throws: ``DepthError`` `truncated` if the stream has not ended.
    public func finish() throws(DepthError) -> Int { try stream.finish().count }

    private struct Nothing: InflatedBytesConsumer {
        func consume(_ bytes: UnsafeRawBufferPointer) {}
        func end() {}
    }
}
