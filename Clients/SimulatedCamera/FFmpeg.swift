import Blocking
import CaptureKit
import Foundation
import Synchronization

/// Why nothing could be encoded.
public enum EncodingError: Error, Sendable, Equatable {
    /// There is no `ffmpeg` program.
    case unavailable
    /// It ended with this status, or did not take what it was given.
    case failed(status: Int32)
    /// Pictures do not follow each other 30 times a second, or have another size.
    case invalidInput
}

/// The `ffmpeg` program as an encoder: raw media into its input, fragmented MP4 out of its output, one sample in each fragment.
final class FFmpeg: Sendable {
    private let process: RunningProcess
    private let input = BlockingExecutor(label: "ffmpeg input")
    private let fragments = Fragments()
    private let reading: Task<Void, Never>

    /// - Parameter arguments: of input and codec.
    /// - Throws: ``EncodingError`` `unavailable`.
    init(_ arguments: [String]) throws {
        let process = try RunningProcess(
            ["ffmpeg", "-v", "error", "-probesize", "32", "-analyzeduration", "0"] + arguments + [
                "-threads", "1", "-fflags", "+bitexact", "-flags", "+bitexact", "-map_metadata", "-1", "-flush_packets", "1",
                "-movflags", "empty_moov+default_base_moof+frag_every_frame", "-f", "mp4", "pipe:1",
            ])
        self.process = process
        let output = BlockingExecutor(label: "ffmpeg output")
        reading = Task { [fragments] in
            while let piece = try? await output.run({ process.read() }), !piece.isEmpty { fragments.consume(piece) }
            fragments.end()
        }
    }

    /// Writes as fast as is encoded, as a camera is never far ahead of its encoder.
    /// - Parameter count: how many samples must have come out, over all.
    /// - Returns: the samples that have come out by now.
    func write(_ bytes: [UInt8], awaiting count: Int) async throws -> [EncodedSample] {
        do {
            try await input.run { [process] in try process.write(bytes) }
        } catch {
            throw EncodingError.failed(status: -1)
        }
        await fragments.wait(for: count)
        return fragments.take()
    }

    /// Ends the input and waits for the rest.
    func finish() async throws -> [EncodedSample] {
        let status = try await input.run { [process] in
            try process.endInput()
            return process.wait()
        }
        await reading.value
        guard status == 0 else { throw EncodingError.failed(status: status) }
        return fragments.take()
    }

    /// What the stream says of all samples; `nil` until its header has come.
    var header: (configuration: [UInt8], colour: [UInt8]?, timescale: UInt32)? {
        fragments.header
    }
}

/// The output of the program.
private final class Fragments: Sendable {
    private struct State {
        var reader = FragmentReader()
        var count = 0
        var samples: [EncodedSample] = []
        var hasEnded = false
        var waiting: (count: Int, continuation: CheckedContinuation<Void, Never>)?
    }

    private let state = Mutex(State())

    func consume(_ bytes: [UInt8]) {
        state.withLock { state in
            state.reader.consume(bytes)
            let samples = state.reader.take()
            state.count += samples.count
            state.samples += samples
            if let waiting = state.waiting, state.count >= waiting.count { Self.wake(&state) }
        }
    }

    /// Nothing more comes.
    func end() {
        state.withLock { state in
            state.hasEnded = true
            Self.wake(&state)
        }
    }

    func take() -> [EncodedSample] {
        state.withLock { state in
            defer { state.samples = [] }
            return state.samples
        }
    }

    /// Waits until so many samples have come, over all, or no more come. Only one may wait.
    func wait(for count: Int) async {
        await withCheckedContinuation { continuation in
            state.withLock { state in
                if state.count >= count || state.hasEnded || state.waiting != nil {
                    continuation.resume()
                } else {
                    state.waiting = (count, continuation)
                }
            }
        }
    }

    var header: (configuration: [UInt8], colour: [UInt8]?, timescale: UInt32)? {
        state.withLock { state in state.reader.configuration.map { ($0, state.reader.colour, state.reader.timescale) } }
    }

    private static func wake(_ state: inout State) {
        state.waiting?.continuation.resume()
        state.waiting = nil
    }
}

/// A child process with both ends of its pipes. Its input is written by one thread, and its output read by one other.
private final class RunningProcess: @unchecked Sendable {
    // Only started here and waited for; Foundation's class is safe for that from any thread.
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()

    init(_ arguments: [String]) throws {
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = arguments
        process.standardInput = input
        process.standardOutput = output
        do { try process.run() } catch { throw EncodingError.unavailable }
    }

    deinit {
        if process.isRunning { process.terminate() }
    }

    func read() -> [UInt8] { Array(output.fileHandleForReading.availableData) }
    func write(_ bytes: [UInt8]) throws { try input.fileHandleForWriting.write(contentsOf: Data(bytes)) }
    func endInput() throws { try input.fileHandleForWriting.close() }

    func wait() -> Int32 {
        process.waitUntilExit()
        return process.terminationStatus
    }
}
