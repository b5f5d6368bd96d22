import CaptureProtocol
import Compression
import Depth
import VideoChain

/// The depth maps that are whole in a gzip stream which was not finished.
struct RecoveredDepth {
    /// In ascending time.
    let records: [Record]

    typealias Record = (record: DepthRecord, values: [UInt8], digest: ContentDigest)

    /// - Parameter count: how many were written; those behind are left out.
    init(of bytes: [UInt8], count: Int) {
        let reading = Reading()
        let stream = InflatedStream(limit: 16 + 200 * (16 + 4 * 1024 * 1024), reading)
        // What came before damage at the end is whole.
        for start in stride(from: 0, to: bytes.count, by: 64 * 1024) {
            guard (try? stream.update(bytes[start..<min(start + 64 * 1024, bytes.count)])) != nil else { break }
        }
        records = reading.parser.visitor.records.prefix(count).map { ($0.0, $0.1, ContentDigest(of: $0.1)) }
    }

    /// A whole stream of these records.
    static func compressed(_ records: [Record], width: UInt16, height: UInt16) throws -> [UInt8] {
        let gzip = try GzipStream()
        var bytes = try gzip.write(DepthData.header(width: width, height: height))
        for (record, values, _) in records {
            bytes += try gzip.write(DepthData.recordHeader(sample: record.sample, time: record.time) + values)
        }
        return bytes + (try gzip.finish())
    }

    /// A class, since the stream keeps its consumer until it is finished.
    private final class Reading: InflatedBytesConsumer {
        var parser = DepthDataParser(Collector())

        func consume(_ bytes: UnsafeRawBufferPointer) throws(DepthError) {
            do throws(DepthDataError) { try parser.update(bytes) } catch { throw DepthError(.corrupt, error.description) }
        }

        func end() {}
    }

    private struct Collector: DepthDataVisitor {
        var records: [(DepthRecord, [UInt8])] = []
        private var values: [UInt8] = []

        mutating func begin(width: Int, height: Int) {}
        mutating func take(_ bytes: UnsafeRawBufferPointer) { values += bytes }
        mutating func end(_ record: DepthRecord) {
            records.append((record, values))
            values = []
        }
    }
}
