import Blocking
import Foundation
import MediaStore
import Movie

/// The public copy of a video: a new file with the same samples and nothing else, read out of the original where that lies (SPEC §10.7).
struct PublicVideo: Sendable {
    private let original: AcceptedVideo
    private let plan: PublicMovie
    /// Where the plan's ranges begin in the copy, ascending.
    private let starts: [Int64]

    init(_ original: AcceptedVideo, startedAt: Date) {
        self.original = original
        plan = PublicMovie(original.movie, startedAt: startedAt)
        var starts: [Int64] = []
        var position = Int64(plan.head.count)
        for range in plan.ranges {
            starts.append(position)
            position += Int64(range.count)
        }
        self.starts = starts
    }

    var sizeBytes: Int64 { plan.length }

    /// Reads a range of the copy; fewer bytes at its end.
    func bytes(_ range: Range<Int64>) throws -> [UInt8] {
        let range = range.clamped(to: 0..<plan.length)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(range.count)
        let head = range.clamped(to: 0..<Int64(plan.head.count))
        if !head.isEmpty { bytes += plan.head[Int(head.lowerBound)..<Int(head.upperBound)] }
        var index = max(0, firstIndex(at: range.lowerBound))
        while index < starts.count, starts[index] < range.upperBound {
            let source = plan.ranges[index]
            let part = range.clamped(to: starts[index]..<starts[index] + Int64(source.count))
            if !part.isEmpty {
                let offset = source.lowerBound - starts[index]
                bytes += try original.file.bytes(part.lowerBound + offset..<part.upperBound + offset)
            }
            index += 1
        }
        return bytes
    }

    /// The last range that begins at the position or before it; -1 in the head.
    private func firstIndex(at position: Int64) -> Int {
        var (low, high) = (0, starts.count)
        while low < high {
            let middle = (low + high) / 2
            if starts[middle] <= position { low = middle + 1 } else { high = middle }
        }
        return low - 1
    }
}
