/// Validates a depth part while it is streamed, without storing it: it must be one complete DEFLATE stream of bounded length.
///
/// An instance checks one stream and is not `Sendable`.
public final class DepthStreamInspector {
    private let limit: Int
    private var head: [UInt8] = []
    private var readings: [Reading]?
    private var scratch = [UInt8](repeating: 0, count: 32 * 1024)

    /// - Parameter limit: the maximum number of inflated bytes.
    public init(limit: Int = DepthMap.maximumBytes) { self.limit = max(0, limit) }

    /// Feeds the next bytes of the part, in chunks of any size.
    /// - Throws: ``DepthError``: `corrupt`, `tooLong`, `trailingBytes`. The inspector must not be used afterwards.
    public func update(_ bytes: some Sequence<UInt8>) throws(DepthError) {
        let chunk = bytes as? [UInt8] ?? Array(bytes)
        guard readings == nil else { return try feed(chunk) }
        head += chunk
        guard head.count >= 2 else { return }
        try open()
    }

    /// Call at the end of the part.
    /// - Returns: the number of inflated bytes, to be compared with width × height × 4.
    /// - Throws: ``DepthError`` `truncated` if the stream has not ended.
    public func finish() throws(DepthError) -> Int {
        guard let readings, let whole = readings.first(where: { $0.inflater.isFinished }) else {
            throw DepthError(.truncated, "the part ends inside the stream")
        }
        return whole.produced
    }

    private func open() throws(DepthError) {
        var opened: [Reading] = []
        for wrapping in DeflateWrapping.candidates(head[0], head[1]) { opened.append(Reading(inflater: try Inflater(wrapping))) }
        readings = opened
        let start = head
        head = []
        try feed(start)
    }

    /// Feeds all wrappings that are still possible; if none is left, throws the error of the most likely one.
    private func feed(_ chunk: [UInt8]) throws(DepthError) {
        var alive: [Reading] = []
        var firstError: DepthError?
        for var reading in readings ?? [] {
            do throws(DepthError) {
                try feed(chunk, to: &reading)
                alive.append(reading)
            } catch {
                firstError = firstError ?? error
            }
        }
        readings = alive
        if alive.isEmpty { throw firstError ?? DepthError(.corrupt, "the stream was refused before") }
    }

    private func feed(_ chunk: [UInt8], to reading: inout Reading) throws(DepthError) {
        var offset = 0
        while true {
            if reading.inflater.isFinished {
                guard offset == chunk.count else { throw DepthError(.trailingBytes, "bytes after the end") }
                return
            }
            let step = try inflate(chunk, from: offset, reading.inflater)
            offset += step.consumed
            reading.produced += step.produced
            guard reading.produced <= limit else { throw DepthError(.tooLong, "inflates to more than \(limit) bytes") }
            if step.consumed == 0, step.produced == 0, !reading.inflater.isFinished { return }
        }
    }

    private func inflate(
        _ chunk: [UInt8], from offset: Int, _ inflater: Inflater
    ) throws(DepthError) -> (consumed: Int, produced: Int) {
        var result: Result<(consumed: Int, produced: Int), DepthError> = .success((0, 0))
        chunk.withUnsafeBytes { input in
            scratch.withUnsafeMutableBytes { output in
                do throws(DepthError) {
                    result = .success(try inflater.inflate(UnsafeRawBufferPointer(rebasing: input[offset...]), into: output))
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
        var produced = 0
    }
}
