import CaptureProtocol
import Depth
import Foundation
import VideoChain

/// libFuzzer's entry: the first byte is the size of chunks, the rest depth data, inflated and as a part.
///
/// Chunks must not matter, and what is read keeps the limits that everyone relies on.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzDepthData(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    guard let first = input.first else { return 0 }
    let bytes = Array(input.dropFirst())
    let chunk = Int(first) + 1
    let inflated = parse(bytes, chunk: max(bytes.count, 1))
    precondition(inflated == parse(bytes, chunk: chunk), "chunks matter")
    inspect(inflated)
    let part = read(bytes, chunk: max(bytes.count, 1))
    let pieces = read(bytes, chunk: chunk)
    // What is wrong with a stream and with what it inflates to is found in an order that depends on chunks; whether anything is, does not.
    precondition(part == pieces || (part.problem != nil && pieces.problem != nil), "chunks of the part matter")
    inspect(part)
    return 0
}

/// What was read, or why nothing was.
private struct Outcome: Equatable {
    var records: [DepthRecord] = []
    var digests: [[UInt8]] = []
    var sides: [Int] = []
    var problem: String?

    init(_ digests: DepthDigests, _ width: Int, _ height: Int) {
        records = digests.records.map(\.record)
        self.digests = digests.records.map(\.digest.bytes)
        sides = [width, height]
    }

    init(_ error: DepthDataError) { problem = error.message }
}

private func parse(_ bytes: [UInt8], chunk: Int) -> Outcome {
    var parser = DepthDataParser(DepthDigests())
    do throws(DepthDataError) {
        for start in stride(from: 0, to: bytes.count, by: chunk) {
            let piece = Array(bytes[start..<min(start + chunk, bytes.count)])
            // The closure's error is not typed.
            var refused: DepthDataError?
            piece.withUnsafeBytes { raw in
                do throws(DepthDataError) { try parser.update(raw) } catch { refused = error }
            }
            if let refused { throw refused }
        }
        try parser.finish()
        return Outcome(parser.visitor, parser.width, parser.height)
    } catch {
        return Outcome(error)
    }
}

private func read(_ bytes: [UInt8], chunk: Int) -> Outcome {
    let reader = InflatedDepthData(DepthDigests())
    do throws(DepthDataError) {
        for start in stride(from: 0, to: bytes.count, by: chunk) {
            try reader.update(bytes[start..<min(start + chunk, bytes.count)])
        }
        let read = try reader.finish()
        return Outcome(read.visitor, read.width, read.height)
    } catch {
        return Outcome(error)
    }
}

private func inspect(_ outcome: Outcome) {
    guard outcome.problem == nil else { return precondition(outcome.problem?.isEmpty == false, "an error without a word") }
    precondition(DepthData.recordCounts.contains(outcome.records.count), "records")
    precondition(outcome.sides.allSatisfy(DepthData.sides.contains), "sides")
    precondition(zip(outcome.records, outcome.records.dropFirst()).allSatisfy { $0.time < $1.time }, "times")
}
