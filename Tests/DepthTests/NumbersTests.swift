import Testing

@testable import Depth

@Suite("Numbers of depth analysis")
struct NumbersTests {
    @Test(
        "count layers as peaks of the histogram",
        arguments: [([1, 2, 3], 3), ([1, 5], 2), ([2], 1), ([1, 1.01, 4], 2), ([], 0)] as [([Float], Int)])
    func layers(depths: [Float], expected: Int) throws {
        var values: [Float] = [0]
        for metres in depths { values += [Float](repeating: metres, count: 50) }
        let map = try DepthMap(width: values.count, height: 1, metres: values)
        #expect(DepthStatistics(map).layers == expected)
    }

    @Test("leave out peaks of at most 5 % of the highest", arguments: [(75, 2), (76, 3)])
    func smallPeaks(count: Int, expected: Int) throws {
        // After smoothing, a single bin keeps a half at an end and a third inside: 500, count / 3, 250.
        var values: [Float] = []
        for (metres, count) in [(1, 1000), (2, count), (3, 500)] as [(Float, Int)] {
            values += [Float](repeating: metres, count: count)
        }
        let padding = [Float](repeating: 0, count: 2000 - values.count)
        let map = try DepthMap(width: 1000, height: 2, metres: values + padding)
        #expect(DepthStatistics(map).layers == expected)
    }

    @Test("have the population's standard deviation")
    func deviation() throws {
        #expect(DepthStatistics(try DepthMap(width: 4, height: 1, metres: [1, 3, 1, 3])).deviation == 1)
        #expect(DepthStatistics(try DepthMap(width: 4, height: 1, metres: [2, .nan, 6, 0])).deviation == 2)
    }

    @Test("find the median whatever the arrangement", arguments: [1, 2, 3, 10, 999, 5000])
    func median(count: Int) {
        var random = Randomness(UInt64(count))
        for scale in [1e-300, 1e-3, 1, 1e300] {
            let values = (0..<count).map { _ in (random.unit() < 0.2 ? 0.5 : random.unit()) * scale }
            #expect(Median.upper(of: values) == values.sorted()[count / 2])
        }
        #expect(Median.upper(of: []) == nil)
    }

    @Test("solve what has a solution, and nothing else")
    func linear() throws {
        let solution = try #require(LinearSystem.solve([[0, 2, 4], [3, 1, 5]]))
        #expect(solution == [1, 2])
        #expect(LinearSystem.solve([[1, 2, 3], [2, 4, 6]]) == nil)
        #expect(LinearSystem.solve([[.nan, 1, 1], [1, 1, 1]]) == nil)
    }

    @Test("fit a surface through a third of outliers")
    func robustFit() throws {
        var random = Randomness(6)
        let truth = [1.2, 0.3, -0.2, 0.05, 0.02, -0.04]
        let surface = SurfaceFit(coefficients: truth)
        // u and v within the centre, which is 0.6 of each side.
        let map = try Maps.make(width: 100, height: 80) { u, v in
            let outlier = random.unit() < 0.33 ? 0.4 + random.unit() : 0
            return 1 / (surface.inverseDepth(u / 0.6, v / 0.6) * (1 + 0.003 * random.normal()) + outlier)
        }
        var robust = RobustFit(CentreGrid(map))
        let found = robust.fit(from: .all)
        let fit = try #require(found)
        for (found, expected) in zip(fit.coefficients, truth) { #expect(abs(found - expected) < 0.005) }
        let again = robust.fit(from: .right)
        #expect(again == nil, "another start comes to the same surface")
    }

    @Test("find the median residual whatever the arrangement", arguments: [0.0, 1e-15, 1e-3, 1, 1e4], [(60, 50), (256, 192)])
    func residuals(scale: Double, size: (Int, Int)) throws {
        var random = Randomness(12)
        let grid = CentreGrid(try Maps.make(width: size.0, height: size.1) { _, _ in random.unit() < 0.2 ? 0 : 0.5 + random.unit() })
        try check(SurfaceFit(coefficients: [scale, scale, 0, 0, 0, 0]), grid)
    }

    @Test("find the median residual where a sample misleads", arguments: [16, 4, 2])
    func misleadingSample(spacing: Int) throws {
        let (width, height) = (256, 192)
        let place = CentreGrid(try DepthMap(width: width, height: height, metres: [Float](repeating: 1, count: width * height)))
        var metres = [Float](repeating: 2, count: width * height)
        for (index, y) in place.rows.enumerated() {
            for (column, x) in place.columns.enumerated() {
                let isChosen = (index * place.columns.count + column) % spacing == 0
                metres[y * width + x] = isChosen ? 0.5 + Float(index) / 400 : 1.5 + Float(column) / 300
            }
        }
        try check(SurfaceFit(coefficients: [1, 0, 0, 0, 0, 0]), CentreGrid(try DepthMap(width: width, height: height, metres: metres)))
    }

    /// Compares with sorting.
    private func check(_ fit: SurfaceFit, _ grid: CentreGrid) throws {
        var all: [Double] = []
        for y in grid.v.indices {
            for x in grid.u.indices where !grid.inverse[y * grid.u.count + x].isNaN {
                all.append(abs(grid.inverse[y * grid.u.count + x] - fit.inverseDepth(grid.u[x], grid.v[y])))
            }
        }
        #expect(all.count == grid.validCount)
        var median = ResidualMedian(grid)
        for _ in 0..<2 { #expect(median.median(of: fit, in: grid) == all.sorted()[all.count / 2]) }
        let nowhere = SurfaceFit(coefficients: [.nan, 0, 0, 0, 0, 0])
        #expect(median.median(of: nowhere, in: grid) == nil)
    }

    @Test("scale a picture by the area that each pixel covers")
    func areaAverage() throws {
        let image = try LumaImage(width: 3, height: 1, pixels: [0, 90, 240])
        #expect(image.scaled(toWidth: 1, height: 1).pixels == [110])
        #expect(image.scaled(toWidth: 2, height: 1).pixels == [30, 190])
        #expect(image.scaled(toWidth: 6, height: 2).pixels == [0, 0, 90, 90, 240, 240, 0, 0, 90, 90, 240, 240])
    }

    @Test("find the edges of a square and nothing on an even picture")
    func canny() throws {
        let even = try LumaImage(width: 40, height: 40, pixels: [UInt8](repeating: 77, count: 1600))
        #expect(!CannyEdges.find(in: even).contains(true))
        let square = try LumaImage(
            width: 40, height: 40,
            pixels: (0..<1600).map { (10..<30).contains($0 % 40) && (10..<30).contains($0 / 40) ? 200 : 20 })
        let edges = CannyEdges.find(in: square)
        #expect((60...90).contains(edges.count { $0 }))
        for index in edges.indices where edges[index] {
            let distance = max(abs(Double(index % 40) - 19.5), abs(Double(index / 40) - 19.5))
            #expect(distance > 7.5 && distance < 11.5)
        }
    }

    @Test(
        "count the jumps between neighbours that are both measured",
        arguments: [(1, 1), (1, 7), (2, 1), (4, 3), (5, 4), (9, 6), (67, 31)])
    func jumps(width: Int, height: Int) throws {
        var random = Randomness(UInt64(100 * width + height))
        let depths: [Float] = [1, 1.04, 1.06, 0.096, 0.1, 19.9, 20, 20.1, 3, .nan, -2, .infinity]
        let metres = (0..<width * height).map { _ in depths[min(Int(random.unit() * Double(depths.count)), depths.count - 1)] }
        var (pairs, jumps) = (0, 0)
        var edges = [Bool](repeating: false, count: metres.count)
        for place in metres.indices {
            let neighbours = [place % width + 1 < width ? place + 1 : nil, place + width < metres.count ? place + width : nil]
            for other in neighbours.compactMap({ $0 }) {
                let (here, there) = (Double(metres[place]), Double(metres[other]))
                guard DepthMap.isValid(here), DepthMap.isValid(there) else { continue }
                pairs += 1
                guard abs(here - there) > 0.05 * min(here, there) else { continue }
                jumps += 1
                edges[place] = true
                edges[other] = true
            }
        }
        let found = DepthJumps(try DepthMap(width: width, height: height, metres: metres))
        #expect(found.pairCount == pairs)
        #expect(found.jumpCount == jumps)
        #expect(found.edges == edges)
        #expect(found.edgeCount == edges.count { $0 })
    }

    @Test("find an edge at most 2 px away", arguments: [(0, 1.0), (1, 1), (2, 0.5), (3, 0)])
    func coherence(shift: Int, expected: Double) throws {
        let map = try DepthMap(width: 20, height: 1, metres: (0..<20).map { $0 < 10 ? 1 : 2 })
        var photo = [Bool](repeating: false, count: 20)
        photo[10 + shift] = true
        // The jump is between columns 9 and 10; both are edges.
        #expect(DepthJumps(map).coherence(with: photo, width: 20) == expected)
    }
}
