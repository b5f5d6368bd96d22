import CSandbox
import Foundation
public import Inspection
import Metrics
import Synchronization

/// Decodes videos, each in a sandboxed process of its own: see `video-decoder`.
public protocol VideoDecoding: Sendable {
    /// Decodes a video.
    ///
    /// - Parameters:
    ///   - descriptor: the file, open until the call returns.
    ///   - begin: called before the first record, and again if the video is decoded once more: what came before does not count.
    ///   - take: gets each record as it comes, in order, on a thread of its own; false ends the decoding.
    /// - Returns: whether the decoder came to its end. A file that makes it die is a result, not an error.
    /// - Throws: ``InspectionError``: no file can be decoded now.
    func decode(
        _ request: DecodingRequest, file descriptor: Int32, begin: @escaping @Sendable () -> Void,
        _ take: @escaping @Sendable (DecodedRecord) -> Bool
    ) async throws(InspectionError) -> Bool
}

/// The decoders of a service: at most so many at once.
public struct VideoDecoderPool: VideoDecoding {
    /// How often a file is decoded at most, if something else may have ended the decoder.
    private static let attempts = 2

    private let program: SandboxedProgram

    /// - Parameters:
    ///   - executable: path of `video-decoder`.
    ///   - concurrency: number of processes at once, at least one.
    ///   - waiting: number of further callers that may wait.
    ///   - pause: stops the decoders for what is more urgent; `nil` for never.
    public init(
        executable: String, concurrency: Int, waiting: Int, limits: InspectionLimits = Self.limits, pause: ProcessPause? = nil
    ) {
        program = SandboxedProgram(
            executable: executable, label: "video-decoder", concurrency: concurrency, waiting: waiting, limits: limits,
            pause: pause)
        // Shown before there is anything to count, so that the first time is an increase.
        for end in SandboxedProgram.Result.End.allCases where end != .cancelled { Self.died(end).increment(by: 0) }
    }

    /// For 15 seconds of 4K, playback copy included: what it writes is at most some pictures and a small copy.
    public static let limits = InspectionLimits(
        wallClock: .seconds(240), cpu: .seconds(180), memoryBytes: 1 << 30, outputBytes: 160 << 20)

    public func decode(
        _ request: DecodingRequest, file descriptor: Int32, begin: @escaping @Sendable () -> Void,
        _ take: @escaping @Sendable (DecodedRecord) -> Bool
    ) async throws(InspectionError) -> Bool {
        var attempt = 1
        while true {
            begin()
            let (result, isDone) = try await run(request, descriptor, take)
            if isDone { return true }
            // What ended a decoder that does not work here may be ours.
            try await selfTest()
            guard result.mayBeInterrupted, attempt < Self.attempts else {
                Self.died(result.end).increment()
                return false
            }
            attempt += 1
        }
    }

    private func run(
        _ request: DecodingRequest, _ descriptor: Int32, _ take: @escaping @Sendable (DecodedRecord) -> Bool
    ) async throws(InspectionError) -> (result: SandboxedProgram.Result, isDone: Bool) {
        let start = ContinuousClock.now
        let reader = Mutex((records: DecodedRecordReader(), isEnded: false))
        let result = try await program.run(request.arguments, on: descriptor) { bytes in
            reader.withLock { reader in
                guard !reader.isEnded else { return false }
                var isEnded = false
                let isSound = reader.records.feed(bytes) { record in
                    if case .end = record { isEnded = true }
                    return take(record)
                }
                reader.isEnded = isEnded
                return isSound
            }
        }
        Metrics.Timer(label: "rial_video_decoding_seconds").record(duration: start.duration(to: .now))
        if result.couldNotStart { throw .unavailable(result.sentence) }
        if result.end == .cancelled { throw .cancelled }
        return (result, result.isSuccess && reader.withLock { $0.isEnded })
    }

    private static func died(_ end: SandboxedProgram.Result.End) -> Counter {
        Counter(label: "rial_video_decoders_died_total", dimensions: [("end", end.rawValue)])
    }

    /// Checks that videos can be decoded here: the sandbox blocks what it must, and the decoder decodes. Call it at start, too.
    /// - Throws: ``InspectionError/unavailable(_:)`` with what is wrong.
    public func selfTest() async throws(InspectionError) {
        let file = rial_anonymous_file("blank")
        guard file >= 0 else { throw .unavailable("a file in memory: \(String(cString: strerror(errno)))") }
        defer { close(file) }
        try await program.selfTest(on: file)
    }
}
