/// Takes the bytes of an inflated stream as they come, in chunks of any size.
public protocol InflatedBytesConsumer {
    /// - Throws: ``DepthError`` to refuse the stream.
    mutating func consume(_ bytes: UnsafeRawBufferPointer) throws(DepthError)
    /// Called after the last byte.
    mutating func end() throws(DepthError)
}

/// Inflates one complete DEFLATE stream of bounded length while it comes, without keeping it: gzip, zlib or raw, told apart by looking. Raw
/// streams may begin like zlib ones; then both are read until one fails.
///
/// Each reading has a copy of the consumer. What a consumer gathers has to be part of its value: there are bytes that both readings take
/// for a while, and what the one that fails has gathered must be gone with it.
///
/// An instance reads one stream and is not `Sendable`.
public final class InflatedStream<Consumer: InflatedBytesConsumer> {
    private let limit: Int
    private let consumer: Consumer
    private var head: [UInt8] = []
    private var readings: [Reading]?
    private var scratch = [UInt8](repeating: 0, count: 32 * 1024)

    /// - Parameter limit: the maximum number of inflated bytes.
    public init(limit: Int, _ consumer: Consumer) {
        self.limit = max(0, limit)
        self.consumer = consumer
    }

    /// Feeds the next compressed bytes, in chunks of any size.
    /// - Throws: ``DepthError``: `corrupt`, `tooLong`, `trailingBytes`, and what the consumer throws. The stream must not be used
    ///   afterwards.
    public func update(_ bytes: some Sequence<UInt8>) throws(DepthError) {
        let chunk = bytes as? [UInt8] ?? Array(bytes)
        guard readings == nil else { return try feed(chunk) }
        head += chunk
        guard head.count >= 2 else { return }
        try open()
    }

    /// Call at the end of the compressed bytes.
    /// - Returns: the number of inflated bytes, and the consumer that took them all.
    /// - Throws: ``DepthError`` `truncated` if the stream has not ended, and what the consumer throws.
    public func finish() throws(DepthError) -> (count: Int, consumer: Consumer) {
        guard var whole = readings?.first(where: { $0.inflater.isFinished }) else {
            throw DepthError(.truncated, "the part ends inside the stream")
        }
        try whole.consumer.end()
        return (whole.produced, whole.consumer)
    }

    private func open() throws(DepthError) {
        var opened: [Reading] = []
        for wrapping in DeflateWrapping.candidates(head[0], head[1]) {
            opened.append(Reading(inflater: try Inflater(wrapping), consumer: consumer))
        }
        readings = opened
        let start = head
        head = []
        try feed(start)
    }

    /// Feeds all wrappings that are still possible; if none is left, throws the error of the most likely one.
    private func feed(_ chunk: [UInt8]) throws(DepthError) {
        var likeliestError: DepthError?
        // Taken out and fed in place, since their consumers must not be copied.
        var alive = readings ?? []
        readings = []
        for index in alive.indices.reversed() {
            do throws(DepthError) {
                try feed(chunk, to: &alive[index])
            } catch {
                likeliestError = error
                alive.remove(at: index)
            }
        }
        readings = alive
        if alive.isEmpty { throw likeliestError ?? DepthError(.corrupt, "the stream was refused before") }
    }

    private func feed(_ chunk: [UInt8], to reading: inout Reading) throws(DepthError) {
        var offset = 0
        while true {
            if reading.inflater.isFinished {
                guard offset == chunk.count else { throw DepthError(.trailingBytes, "bytes after the end") }
                return
            }
            let step = try inflate(chunk, from: offset, &reading)
            offset += step.consumed
            if step.consumed == 0, step.produced == 0, !reading.inflater.isFinished { return }
        }
    }

    private func inflate(
        _ chunk: [UInt8], from offset: Int, _ reading: inout Reading
    ) throws(DepthError) -> (consumed: Int, produced: Int) {
        var result: Result<(consumed: Int, produced: Int), DepthError> = .success((0, 0))
        chunk.withUnsafeBytes { input in
            scratch.withUnsafeMutableBytes { output in
                do throws(DepthError) {
                    let step = try reading.inflater.inflate(UnsafeRawBufferPointer(rebasing: input[offset...]), into: output)
                    reading.produced += step.produced
                    guard reading.produced <= limit else { throw DepthError(.tooLong, "inflates to more than \(limit) bytes") }
                    try reading.consumer.consume(UnsafeRawBufferPointer(rebasing: output[..<step.produced]))
                    result = .success(step)
                } catch {
                    result = .failure(error)
                }
            }
        }
        return try result.get()
    }

    /// The stream under one assumed wrapping.
    private struct Reading {
        let inflater: Inflater
        var consumer: Consumer
        var produced = 0
    }
}
