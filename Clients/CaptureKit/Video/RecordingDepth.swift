import CaptureProtocol
import Compression
import Depth
import VideoChain

/// Writes the stream of depth data of a recording: as it was recorded, or anew without the maps of pictures that are not there.
final class RecordingDepth {
    private let file: SealedFileWriter
    /// Reads the recorded stream to write a new one; `nil` if it is written as it was recorded.
    private let anew: InflatedStream<Reading>?
    private let reading: Reading?

    init(_ file: SealedFileWriter, _ summary: RecordingSummary) throws {
        self.file = file
        if summary.hasWholeDepth {
            (anew, reading) = (nil, nil)
        } else {
            let reading = try Reading(
                keeping: summary.pictureCount, width: summary.beginning.depthWidth, height: summary.beginning.depthHeight)
            self.reading = reading
            anew = InflatedStream(limit: SizeLimits.depthData, reading)
        }
    }

    /// Takes the bytes by which the stream grew.
    func append(_ bytes: ArraySlice<UInt8>) throws {
        guard let anew, let reading else { return try file.write(Array(bytes)) }
        try anew.update(bytes)
        try file.write(reading.take())
    }

    func commit() throws -> SealedContent {
        if let reading { try file.write(reading.end()) }
        return try file.commit()
    }

    /// A class, since the stream keeps its consumer until it is finished.
    private final class Reading: InflatedBytesConsumer {
        private var parser: DepthDataParser<Keeping>

        init(keeping pictures: UInt32, width: UInt16, height: UInt16) throws {
            let gzip = try GzipStream()
            parser = DepthDataParser(
                Keeping(
                    pictures: pictures, gzip: gzip, written: try gzip.write(DepthData.header(width: width, height: height))))
        }

        /// What was written since the last time.
        func take() -> [UInt8] { parser.visitor.buffer.take() }

        func end() throws -> [UInt8] { take() + (try parser.visitor.gzip.finish()) }

        func consume(_ bytes: UnsafeRawBufferPointer) throws(DepthError) {
            do throws(DepthDataError) { try parser.update(bytes) } catch { throw DepthError(.corrupt, error.message) }
        }

        func end() {}
    }

    /// Compresses the maps of the pictures that are kept.
    private struct Keeping: DepthDataVisitor {
        let pictures: UInt32
        let gzip: GzipStream
        let buffer: Buffer
        private var values: [UInt8] = []

        init(pictures: UInt32, gzip: GzipStream, written: [UInt8]) {
            self.pictures = pictures
            self.gzip = gzip
            buffer = Buffer(written)
        }

        mutating func begin(width: Int, height: Int) {}
        mutating func take(_ bytes: UnsafeRawBufferPointer) { values += bytes }
        mutating func end(_ record: DepthRecord) {
            defer { values.removeAll(keepingCapacity: true) }
            guard record.sample < pictures else { return }
            buffer.write { try gzip.write(DepthData.recordHeader(sample: record.sample, time: record.time) + values) }
        }
    }

    private final class Buffer {
        private var bytes: [UInt8]

        init(_ bytes: [UInt8]) { self.bytes = bytes }

        /// Compression fails only without memory; the stream is then shorter, which its reader notices.
        func write(_ more: () throws -> [UInt8]) { bytes += (try? more()) ?? [] }

        func take() -> [UInt8] {
            defer { bytes = [] }
            return bytes
        }
    }
}
