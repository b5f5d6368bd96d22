import CaptureProtocol
import Compression
import Foundation
import VideoChain

/// Writes a recording while it goes on: samples, depth and what is known of them, each sealed at once. Nothing of it is plain on the disk.
final class RecordingWriter {
    private let log: SealedLogWriter
    private let gzip: GzipStream
    /// The beginning of the stream of depth data, until there is a depth map.
    private var depthHeader: [UInt8]

    init(
        _ log: SealedLogWriter, recording: [UInt8], isQuickTime: Bool, depthWidth: UInt16, depthHeight: UInt16, privacy: RecordingPrivacy?
    ) throws {
        self.log = log
        gzip = try GzipStream()
        depthHeader = try gzip.write(DepthData.header(width: depthWidth, height: depthHeight))
        try note(
            .began(
                .init(
                    recording: Data(recording), isQuickTime: isQuickTime, depthWidth: depthWidth, depthHeight: depthHeight,
                    privacy: privacy)))
    }

    func note(_ entry: RecordingJournal.Entry, _ content: [UInt8] = []) throws { try log.append(RecordingJournal.bytes(entry, content)) }

    /// - Parameter depth: SHA-256 of the depth map that was, or will be, written for it.
    func append(_ sample: EncodedSample, isSound: Bool = false, depth: ContentDigest? = nil) throws {
        try note(.sample(.init(sample, isSound: isSound, depth: depth)), sample.bytes)
    }

    func append(_ depth: DepthPlane, sample: UInt32, time: Int64) throws {
        let grown = try gzip.write(DepthData.recordHeader(sample: sample, time: time) + depth.bytes)
        try note(.depth(sample: sample), depthHeader + grown)
        depthHeader = []
    }

    /// Durable afterwards: a power cut must not take what the hardware has signed.
    func note(_ assertion: [UInt8], of index: UInt32, by device: DeviceID?) throws {
        try note(.signed(index: index, assertion: Data(assertion), device: device))
        try log.sync()
    }

    /// The recording ended as it should; nothing is written afterwards.
    func end() throws {
        try note(.ended, depthHeader + gzip.finish())
        try log.sync()
    }
}
