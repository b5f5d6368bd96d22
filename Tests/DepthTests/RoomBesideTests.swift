import CaptureProtocol
import Depth
import Models
import Testing

/// A flat surface that leaves a part of the centre to a room behind it, like an attacker's screen that does not fill the picture.
@Suite("A surface with the room visible beside it")
struct RoomBesideTests {
    enum Side: String, CaseIterable, Sendable {
        case left, right, top, bottom, topLeft, topRight, bottomLeft, bottomRight, shapeL, reverseL, both

        /// Whether a position in the centre, 0...1 from its left and top, shows the room if the room covers `share` of the centre.
        func isRoom(_ x: Double, _ y: Double, _ share: Double) -> Bool {
            let corner = share.squareRoot()
            let arm = 1 - (1 - share).squareRoot()
            return switch self {
            case .left: x < share
            case .right: x > 1 - share
            case .top: y < share
            case .bottom: y > 1 - share
            case .topLeft: x < corner && y < corner
            case .topRight: x > 1 - corner && y < corner
            case .bottomLeft: x < corner && y > 1 - corner
            case .bottomRight: x > 1 - corner && y > 1 - corner
            case .shapeL: x < arm || y > 1 - arm
            case .reverseL: x > 1 - arm || y < arm
            case .both: x < share / 2 || x > 1 - share / 2
            }
        }
    }

    enum Room: String, CaseIterable, Sendable { case wall, slanted, furnished }

    static let shares = [0.08, 0.12, 0.13, 0.15, 0.16, 0.19]

    private func map(_ side: Side, share: Double, room: Room, slope: Double = 0.1, bend: Double = 0) throws -> DepthMap {
        var random = Randomness(UInt64(share * 100) + 31)
        return try Maps.make { u, v in
            // The centre is 0.6 of the map.
            let (x, y) = ((u / 0.6 + 1) / 2, (v / 0.6 + 1) / 2)
            let surface = 0.5 / (1 + slope * u + bend * u * u)
            let behind =
                switch room {
                case .wall: 2.2
                case .slanted: 2 + 0.8 * u - 0.5 * v
                case .furnished: v > 0.4 ? 1.1 : abs(u + v) < 0.25 ? 1.6 : u > 0.2 ? 3.5 : 2.6
                }
            return (side.isRoom(x, y, share) ? behind : surface) * Maps.noise(&random)
        }
    }

    /// Each share is combined with a different room and shape of the surface; all combinations were tested once.
    @Test("is never real, on any side", arguments: Side.allCases, shares.indices)
    func neverReal(side: Side, index: Int) throws {
        let share = Self.shares[index]
        let (slope, bend) = [(0.1, 0.0), (-0.3, 0), (0.05, 0.15)][(index / 3 + index) % 3]
        let depth = try map(side, share: share, room: Room.allCases[index % 3], slope: slope, bend: bend)
        let result = DepthAnalysis.analyze(depth: depth, luma: nil, exifOrientation: nil)
        #expect(result.verdict != .real)
        #expect(abs((result.relief ?? 0) - share) < 0.03 && (result.reliefFront ?? 1) < 0.02)
    }

    @Test("is flat when the room covers less than a tenth", arguments: Side.allCases)
    func flat(side: Side) throws {
        let result = DepthAnalysis.analyze(depth: try map(side, share: 0.08, room: .furnished), luma: nil, exifOrientation: nil)
        #expect(result.verdict == .flat)
    }

    @Test("is not real when the photo's edges match those of the room", arguments: Side.allCases, shares)
    func withPhoto(side: Side, share: Double) throws {
        let depth = try map(side, share: share, room: .furnished)
        let photo = try LumaImage(
            width: depth.width, height: depth.height,
            pixels: depth.metres.map { $0 < 0.9 ? 235 : $0 < 1.35 ? 30 : $0 < 2 ? 130 : $0 < 3 ? 60 : 190 })
        let result = DepthAnalysis.analyze(depth: depth, luma: photo, exifOrientation: 1)
        #expect(result.edgeCoherence > 0.7)
        #expect(result.verdict != .real)
        #expect(result.photoEdgesOnSurface != nil)
    }

    @Test("satisfies the specified rule, which then decides nothing")
    func specifiedRule() throws {
        let depth = try Maps.make { u, v in
            if u > -0.45 && abs(v) < 0.8 { return 0.5 }
            return v > 0.4 ? 1.1 : abs(u + v) < 0.25 ? 1.6 : u > 0.2 ? 3.5 : 2.6
        }
        let photo = try LumaImage(
            width: depth.width, height: depth.height,
            pixels: depth.metres.map { $0 < 0.9 ? 235 : $0 < 1.35 ? 30 : $0 < 2 ? 130 : $0 < 3 ? 60 : 190 })
        let result = DepthAnalysis.analyze(depth: depth, luma: photo, exifOrientation: 1)
        #expect(result.specifiedRule)
        #expect((0.10...0.20).contains(result.relief ?? 0))
        #expect(result.verdict == .undecided && result.reason == nil)
    }
}
