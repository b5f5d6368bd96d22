import Foundation

@testable import Depth

/// The measurements of method `relief-video-1` once more, as plainly as they can be written: in Float64, with a loop for each step, and
/// without anything that only saves time. The tests compare the module's integer arithmetic with them.
enum VideoReference {
    /// A picture of numbers; `nil` outside.
    struct Plane {
        var width: Int
        var height: Int
        var values: [Double]

        subscript(_ x: Int, _ y: Int) -> Double? {
            x >= 0 && x < width && y >= 0 && y < height ? values[y * width + x] : nil
        }

        func map(_ value: (_ x: Int, _ y: Int) -> Double) -> Plane {
            var new: [Double] = []
            for y in 0..<height { for x in 0..<width { new.append(value(x, y)) } }
            return Plane(width: width, height: height, values: new)
        }

        /// The values inside a window around a pixel.
        func window(_ x: Int, _ y: Int, _ radius: Int) -> [Double] {
            var inside: [Double] = []
            for dy in -radius...radius { for dx in -radius...radius { if let value = self[x + dx, y + dy] { inside.append(value) } } }
            return inside
        }

        func halved() -> Plane {
            Plane(width: width / 2, height: height / 2, values: Array(repeating: 0, count: (width / 2) * (height / 2))).map { x, y in
                let four = [self[2 * x, 2 * y], self[2 * x + 1, 2 * y], self[2 * x, 2 * y + 1], self[2 * x + 1, 2 * y + 1]]
                return four.compactMap { $0 }.reduce(0, +) / 4
            }
        }

        /// In eighths, as whole numbers.
        func withoutMean(_ radius: Int) -> Plane {
            map { x, y in
                let around = window(x, y, radius)
                // An exact fraction, so that halves are rounded as written.
                let exact = 8 * (values[y * width + x] * Double(around.count) - around.reduce(0, +)) / Double(around.count)
                return (exact + 0.5).rounded(.down)
            }
        }
    }

    static func plane(_ luma: LumaImage) -> Plane { Plane(width: luma.width, height: luma.height, values: luma.pixels.map(Double.init)) }

    static func alignment(_ map: DepthMap, _ luma: LumaImage) -> Double? {
        let (width, height) = (map.width, map.height)
        let picture = plane(luma)
        let gradients = picture.map { x, y in
            let gx = x > 0 && x < width - 1 ? (picture[x + 1, y] ?? 0) - (picture[x - 1, y] ?? 0) : 0
            let gy = y > 0 && y < height - 1 ? (picture[x, y + 1] ?? 0) - (picture[x, y - 1] ?? 0) : 0
            return gx * gx + gy * gy
        }
        let order = gradients.values.indices.sorted { (gradients.values[$0], $0) < (gradients.values[$1], $1) }
        var ranks = gradients
        for (rank, place) in order.enumerated() { ranks.values[place] = Double(rank) / Double(order.count - 1) }
        let contrast = ranks.map { x, y in ranks.window(x, y, 1).max() ?? 0 }

        func isInside(_ x: Int, _ y: Int) -> Bool { x >= 2 && y >= 2 && x < width - 2 && y < height - 2 }
        func isJump(_ x: Int, _ y: Int, _ otherX: Int, _ otherY: Int) -> Bool {
            guard otherX >= 0, otherY >= 0, otherX < width, otherY < height else { return false }
            let (a, b) = (Double(map.metres[y * width + x]), Double(map.metres[otherY * width + otherX]))
            return DepthMap.isValid(a) && DepthMap.isValid(b) && abs(a - b) > 0.05 * min(a, b)
        }
        var edges: [(x: Int, y: Int)] = []
        for y in 0..<height {
            for x in 0..<width where isInside(x, y) {
                if isJump(x, y, x + 1, y) || isJump(x, y, x - 1, y) || isJump(x, y, x, y + 1) || isJump(x, y, x, y - 1) {
                    edges.append((x, y))
                }
            }
        }
        guard edges.count >= 100 else { return nil }
        func mean(_ dx: Int, _ dy: Int) -> (Double, Int) {
            let moved = edges.filter { isInside($0.x + dx, $0.y + dy) }.compactMap { contrast[$0.x + dx, $0.y + dy] }
            return (moved.reduce(0, +) / Double(moved.count), moved.count)
        }
        var others: [Double] = []
        for distance in [12, 20, 28] {
            for (dx, dy) in [(1, 0), (-1, 0), (0, 1), (0, -1)] {
                let (mean, count) = mean(dx * distance, dy * distance)
                if count >= 50 { others.append(mean) }
            }
        }
        return others.isEmpty ? nil : mean(0, 0).0 - others.reduce(0, +) / Double(others.count)
    }

    /// The mean absolute difference of two windows; `nil` with less than 60 % inside.
    static func cost(_ a: Plane, _ b: Plane, _ x: Int, _ y: Int, _ dx: Int, _ dy: Int, _ radius: Int) -> Double? {
        var differences: [Double] = []
        for row in y - radius...y + radius {
            for column in x - radius...x + radius {
                if let first = a[column, row], let second = b[column + dx, row + dy] { differences.append(abs(first - second)) }
            }
        }
        let side = Double(2 * radius + 1)
        return Double(differences.count) >= 0.6 * side * side ? differences.reduce(0, +) / Double(differences.count) : nil
    }

    /// The cheapest displacement, of equal ones the shortest.
    static func cheapest(
        _ a: Plane, _ b: Plane, _ x: Int, _ y: Int, around guess: (Int, Int), reach: Int, radius: Int, alone: Bool
    ) -> (dx: Int, dy: Int, cost: Double)? {
        var costs: [(dx: Int, dy: Int, length: Int, cost: Double)] = []
        for dy in -reach...reach {
            for dx in -reach...reach {
                if let cost = cost(a, b, x, y, guess.0 + dx, guess.1 + dy, radius) { costs.append((dx, dy, dx * dx + dy * dy, cost)) }
            }
        }
        // A sum of whole numbers by another count of pixels may differ in the last bit.
        guard let least = costs.map(\.cost).min() else { return nil }
        let equal = costs.filter { $0.cost <= least * (1 + 1e-12) }
        guard let best = equal.min(by: { ($0.length, $0.dy, $0.dx) < ($1.length, $1.dy, $1.dx) }) else { return nil }
        if alone, costs.contains(where: { max(abs($0.dx - best.dx), abs($0.dy - best.dy)) > 2 && $0.cost < 1.3 * best.cost * (1 - 1e-12) })
        {
            return nil
        }
        return (guess.0 + best.dx, guess.1 + best.dy, best.cost)
    }

    static func matches(_ first: LumaImage, _ second: LumaImage) -> [(x: Int, y: Int, dx: Int, dy: Int, cost: Double, unmoved: Double?)] {
        let (halfA, halfB) = (plane(first).halved(), plane(second).halved())
        let (a, b) = (halfA.withoutMean(8), halfB.withoutMean(8))
        let (quarterA, quarterB) = (halfA.halved().withoutMean(4), halfB.halved().withoutMean(4))
        var all: [(x: Int, y: Int, dx: Int, dy: Int, cost: Double, unmoved: Double?)] = []
        for y in stride(from: 4, to: a.height, by: 8) {
            for x in stride(from: 4, to: a.width, by: 8) where x / 2 < quarterA.width && y / 2 < quarterA.height {
                guard let coarse = cheapest(quarterA, quarterB, x / 2, y / 2, around: (0, 0), reach: 6, radius: 5, alone: true),
                    let fine = cheapest(a, b, x, y, around: (2 * coarse.dx, 2 * coarse.dy), reach: 2, radius: 6, alone: false)
                else { continue }
                all.append((x, y, fine.dx, fine.dy, fine.cost, cost(a, b, x, y, 0, 0, 6)))
            }
        }
        return all
    }

    /// ln of every second pixel; NaN without a measurement.
    static func logarithms(_ map: DepthMap) -> Plane {
        Plane(width: map.width / 2, height: map.height / 2, values: Array(repeating: 0, count: (map.width / 2) * (map.height / 2))).map {
            x, y in
            let z = Double(map.metres[2 * y * map.width + 2 * x])
            return DepthMap.isValid(z) ? log(z) : .nan
        }
    }

    static func agreement(_ motion: MotionField, _ first: DepthMap, _ second: DepthMap) -> Double? {
        let (a, b) = (logarithms(first), logarithms(second))
        var differences: [Double] = []
        for match in motion.matches {
            for y in match.y - 4..<match.y + 4 {
                for x in match.x - 4..<match.x + 4 {
                    if let here = a[x, y], let there = b[x + match.dx, y + match.dy], !(there - here).isNaN {
                        differences.append(there - here)
                    }
                }
            }
        }
        guard differences.count >= 500 else { return nil }
        let median = differences.sorted()[differences.count / 2]
        return Double(differences.count { abs($0 - median) <= 0.05 }) / Double(differences.count)
    }

    static func votes(_ motion: MotionField, _ first: DepthMap, _ second: DepthMap) -> (total: Int, inFavour: Int) {
        let (a, b) = (logarithms(first), logarithms(second))
        var (total, inFavour) = (0, 0)
        func isJump(_ x: Int, _ y: Int, _ otherX: Int, _ otherY: Int) -> Bool {
            guard let here = a[x, y], let there = a[otherX, otherY] else { return false }
            return abs(here - there) > log(1.05)
        }
        for match in motion.matches where match.dx * match.dx + match.dy * match.dy >= 4 {
            guard let unmoved = match.unmovedCost,
                Double(match.cost.sum) / Double(match.cost.pixels) <= 0.7 * Double(unmoved.sum) / Double(unmoved.pixels) + 1e-12
            else { continue }
            var edges = 0
            func mean(_ dx: Int, _ dy: Int) -> Double? {
                var values: [Double] = []
                for y in match.y - 6...match.y + 6 {
                    for x in match.x - 6...match.x + 6 {
                        if let here = a[x, y], let there = b[x + dx, y + dy], !(here - there).isNaN {
                            values.append(min(abs(here - there), 0.25))
                        }
                    }
                }
                return values.count > 60 ? values.reduce(0, +) / Double(values.count) : nil
            }
            for y in match.y - 6...match.y + 6 {
                for x in match.x - 6...match.x + 6
                where [(1, 0), (-1, 0), (0, 1), (0, -1)].contains(where: { isJump(x, y, x + $0.0, y + $0.1) }) {
                    edges += 1
                }
            }
            guard edges >= 12, let along = mean(match.dx, match.dy), let against = mean(-match.dx, -match.dy), let still = mean(0, 0),
                max(along, against, still) - min(along, against, still) >= 0.01
            else { continue }
            total += 1
            if along < against, along < still { inFavour += 1 }
        }
        return (total, inFavour)
    }
}
