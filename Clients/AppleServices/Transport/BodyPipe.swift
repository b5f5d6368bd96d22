import CaptureKit
import Dispatch
import Foundation

/// Hands the body of one request to `URLSession` through a pair of bound streams: in memory are one piece and the buffer between them.
///
/// It runs on a queue of its own, on which the stream also reports, since a stream belongs to one thread at a time. No thread waits.
actor BodyPipe {
    // Only `URLSession` reads it; this actor never touches it again.
    nonisolated(unsafe) let input: InputStream
    private let output: OutputStream
    private let queue = DispatchSerialQueue(label: "app.rial.body")
    nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

    init?() {
        var input: InputStream?
        var output: OutputStream?
        Stream.getBoundStreams(withBufferSize: 65_536, inputStream: &input, outputStream: &output)
        guard let input, let output else { return nil }
        self.input = input
        self.output = output
    }

    /// Writes the whole body. Returns early once nobody reads it, and when the task is cancelled.
    /// - Throws: errors of the reader.
    func write(_ reader: any HTTPBodyReader) async throws {
        let events = SpaceEvents()
        output.delegate = events
        CFWriteStreamSetDispatchQueue(output as CFWriteStream, queue)
        output.open()
        defer {
            output.delegate = nil
            CFWriteStreamSetDispatchQueue(output as CFWriteStream, nil)
            output.close()
        }
        var spaces = events.spaces.makeAsyncIterator()
        while let piece = try await reader.next() {
            var rest = piece[...]
            while !rest.isEmpty {
                while !output.hasSpaceAvailable {
                    guard await spaces.next() != nil else { return }
                }
                let count = rest.withUnsafeBufferPointer { bytes in
                    bytes.baseAddress.map { output.write($0, maxLength: bytes.count) } ?? 0
                }
                guard count > 0 else { return }
                rest = rest.dropFirst(count)
            }
        }
    }
}

/// Tells when there may be space in a stream; ends when the stream does.
private final class SpaceEvents: NSObject, StreamDelegate {
    let spaces: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    override init() { (spaces, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

    func stream(_ aStream: Stream, handle eventCode: Stream.Event) {
        switch eventCode {
        case .hasSpaceAvailable: continuation.yield()
        case .errorOccurred, .endEncountered: continuation.finish()
        default: break
        }
    }
}
