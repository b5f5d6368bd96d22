import Foundation
import Testing

@testable import Depth

@Suite("Steps of the analysis of videos")
struct VideoStepTests {
    typealias Camera = VideoScene.Camera

    /// Two keyframes of a scene, of the sizes and moved as far as given.
    struct Pair: CustomTestStringConvertible, Sendable {
        var width = 256
        var height = 192
        var seed: UInt64 = 1
        var shift = 0.03

        var testDescription: String { "\(width)×\(height), seed \(seed), \(shift) m" }

        func keyframes() throws -> (first: VideoKeyframe, second: VideoKeyframe) {
            let scene = VideoScene.room(seed, width: width, height: height)
            return (try scene.keyframe(0, camera: Camera(), noise: 1), try scene.keyframe(1, camera: Camera(x: shift), noise: 1))
        }

        func lumas() throws -> (first: LumaImage, second: LumaImage) {
            let (first, second) = try keyframes()
            return (try #require(first.luma), try #require(second.luma))
        }
    }

    static let pairs = [
        Pair(), Pair(seed: 2, shift: 0), Pair(seed: 3, shift: -0.06), Pair(width: 192, height: 256, seed: 4), Pair(width: 97, height: 71),
        Pair(width: 131, height: 20, seed: 5), Pair(width: 300, height: 160, seed: 6, shift: 0.2),
    ]

    @Test("measure how well depth edges lie on edges of the picture", arguments: pairs)
    func alignment(pair: Pair) throws {
        let keyframe = try pair.keyframes().first
        let luma = try #require(keyframe.luma)
        let measured = EdgeAlignment.measure(edges: DepthJumps(keyframe.depth).edges, luma: luma)
        let expected = VideoReference.alignment(keyframe.depth, luma)
        #expect((measured == nil) == (expected == nil))
        if let measured, let expected { #expect(abs(measured - expected) < 1e-12) }
    }

    @Test("need a hundred depth edges for that")
    func leastEdges() throws {
        let luma = try LumaImage(width: 64, height: 64, pixels: (0..<64 * 64).map { UInt8(truncatingIfNeeded: $0 &* 97) })
        for (rows, isEnough) in [(49, false), (50, true)] {
            // A step between two columns: two edges in each row.
            let map = try DepthMap(
                width: 64, height: 64, metres: (0..<64 * 64).map { $0 / 64 >= 2 && $0 / 64 < 2 + rows ? ($0 % 64 < 30 ? 1 : 2) : .nan })
            #expect((EdgeAlignment.measure(edges: DepthJumps(map).edges, luma: luma) != nil) == isEnough)
        }
    }

    @Test("rank pixels by contrast, equal ones by position")
    func ranks() throws {
        let luma = try LumaImage(width: 4, height: 3, pixels: [0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0])
        // Contrast has only (0, 1)'s right and (2, 1)'s left neighbour; the ends of rows see nothing across the border.
        #expect(ContrastRanks.of(luma) == [0, 1, 2, 3, 4, 5, 11, 6, 7, 8, 9, 10])
    }

    @Test("find the motion that a plain search finds", arguments: pairs)
    func motion(pair: Pair) throws {
        let (first, second) = try pair.lumas()
        let found = MotionField(from: DetailPyramid(first), to: DetailPyramid(second)).matches
        let expected = VideoReference.matches(first, second)
        #expect(found.map { [$0.x, $0.y, $0.dx, $0.dy] } == expected.map { [$0.x, $0.y, $0.dx, $0.dy] })
        for (match, plain) in zip(found, expected) {
            #expect(abs(Double(match.cost.sum) / Double(match.cost.pixels) - plain.cost) < 1e-9)
            let unmoved = match.unmovedCost.map { Double($0.sum) / Double($0.pixels) }
            #expect((unmoved == nil) == (plain.unmoved == nil) && abs((unmoved ?? 0) - (plain.unmoved ?? 0)) < 1e-9)
        }
    }

    @Test("find a shift of the whole picture everywhere", arguments: [(0, 0), (6, -2), (-20, 8), (0, 24)])
    func shift(by: (x: Int, y: Int)) throws {
        var random = Randomness(1)
        // A pattern of squares of 7 × 7, so that all sizes of the pyramid show it.
        let squares = (0..<60 * 40).map { _ in random.byte() }
        func cut(_ x: Int, _ y: Int) throws -> LumaImage {
            try LumaImage(
                width: 256, height: 192, pixels: (0..<256 * 192).map { squares[($0 / 256 + 32 + y) / 7 * 60 + ($0 % 256 + 32 + x) / 7] })
        }
        let matches = MotionField(from: DetailPyramid(try cut(0, 0)), to: DetailPyramid(try cut(-by.x, -by.y))).matches
        #expect(matches.count > 100)
        // What is next to a border may have found something else there.
        #expect(matches.filter { $0.x > 24 && $0.x < 104 && $0.y > 24 && $0.y < 72 }.allSatisfy { $0.dx * 2 == by.x && $0.dy * 2 == by.y })
    }

    @Test("take local means away", arguments: pairs)
    func details(pair: Pair) throws {
        let luma = try pair.lumas().first
        let pyramid = DetailPyramid(luma)
        let half = VideoReference.plane(luma).halved()
        #expect(pyramid.half.values.map(Double.init) == half.withoutMean(8).values)
        #expect(pyramid.quarter.values.map(Double.init) == half.halved().withoutMean(4).values)
    }

    @Test("compare depth along the motion, and let moving places vote", arguments: pairs)
    func depth(pair: Pair) throws {
        let (first, second) = try pair.keyframes()
        let (firstLuma, secondLuma) = try pair.lumas()
        let motion = MotionField(from: DetailPyramid(firstLuma), to: DetailPyramid(secondLuma))
        let (a, b) = (HalfDepth(first.depth), HalfDepth(second.depth))
        let agreement = DepthAgreement.measure(motion, from: a, to: b)
        let expected = VideoReference.agreement(motion, first.depth, second.depth)
        #expect((agreement == nil) == (expected == nil))
        // A value in ten thousand may be as near to the tolerance as a unit of the fixed point.
        if let agreement, let expected { #expect(abs(agreement - expected) < 2e-4) }
        let votes = MotionVotes(motion, from: a, to: b)
        let plain = VideoReference.votes(motion, first.depth, second.depth)
        #expect(votes.total == plain.total && votes.inFavour == plain.inFavour)
    }

    @Test("need 200 votes, and 10 pairs of three")
    func coherence() throws {
        let moving = try Pair(shift: 0.06).keyframes()
        let lumas = try Pair(shift: 0.06).lumas()
        let votes = MotionVotes(
            MotionField(from: DetailPyramid(lumas.first), to: DetailPyramid(lumas.second)), from: HalfDepth(moving.first.depth),
            to: HalfDepth(moving.second.depth))
        #expect(votes.total >= 20 && votes.inFavour * 10 > votes.total * 7)
        let needed = max((200 + votes.total - 1) / votes.total, 10)
        #expect(MotionVotes.coherence(Array(repeating: votes, count: needed)) == Double(votes.inFavour) / Double(votes.total))
        #expect(MotionVotes.coherence(Array(repeating: votes, count: needed - 1)) == nil)
    }

    @Test("know logarithms to a millionth, and the median of any numbers")
    func numbers() {
        var random = Randomness(9)
        for step in 0...20_000 {
            let z = Double(Float(0.1 + Double(step) * 0.000995))
            #expect(abs(Double(HalfDepth.logarithm(z)) / Double(HalfDepth.unit) - log(z)) < 1e-6)
        }
        for count in [1, 2, 5, 1000] {
            let values = (0..<count).map { _ in Int32((random.unit() - 0.5) * 11_000_000) }
            #expect(DepthAgreement.median(of: values) == values.sorted()[count / 2])
        }
        #expect(DepthAgreement.median(of: []) == nil)
    }
}
