import CaptureProtocol
import Depth

/// Reads a `depth_data` part as it is sent, without keeping it: one gzip, zlib or raw DEFLATE stream of ``DepthData`` (SPEC §10.1).
///
/// An instance reads one part and is not `Sendable`.
public final class InflatedDepthData<Visitor: DepthDataVisitor> {
    private let stream: InflatedStream<Form>
    private var size = 0

    public init(_ visitor: Visitor) {
        stream = InflatedStream(limit: SizeLimits.depthData, Form(parser: DepthDataParser(visitor)))
    }

    /// Takes the next bytes of the part, in chunks of any size.
    /// - Throws: ``DepthDataError``; it must not be used afterwards.
    public func update(_ bytes: ArraySlice<UInt8>) throws(DepthDataError) {
        size += bytes.count
        guard size <= SizeLimits.depthData else { throw DepthDataError(.tooLong, "is larger than \(SizeLimits.depthData >> 20) MiB") }
        do throws(DepthError) {
            try stream.update(bytes)
        } catch {
            throw DepthDataError(error)
        }
    }

    /// Call at the end of the part.
    /// - Returns: the visitor that took all records, and the sides of a map in pixels.
    /// - Throws: ``DepthDataError``.
    public func finish() throws(DepthDataError) -> (visitor: Visitor, width: Int, height: Int) {
        do throws(DepthError) {
            let parser = try stream.finish().consumer.parser
            return (parser.visitor, parser.width, parser.height)
        } catch {
            throw DepthDataError(error)
        }
    }

    private struct Form: InflatedBytesConsumer {
        var parser: DepthDataParser<Visitor>

        mutating func consume(_ bytes: UnsafeRawBufferPointer) throws(DepthError) {
            do throws(DepthDataError) {
                try parser.update(bytes)
            } catch {
                throw DepthError(.malformed, error.message)
            }
        }

        func end() throws(DepthError) {
            do throws(DepthDataError) {
                try parser.finish()
            } catch {
                throw DepthError(.malformed, error.message)
            }
        }
    }
}

extension DepthDataError {
    init(_ error: DepthError) {
        switch error.code {
        case .malformed: self.init(.malformed, error.message)
        case .outOfMemory: self.init(.outOfMemory, "could not be inflated: \(error.message)")
        case .tooLong: self.init(.tooLong, "inflates to more than \(SizeLimits.depthData >> 20) MiB")
        default: self.init(.corrupt, "is not one complete gzip, zlib or DEFLATE stream")
        }
    }
}
