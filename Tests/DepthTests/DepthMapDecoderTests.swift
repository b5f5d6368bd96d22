import Depth
import Testing

@Suite("Depth map decoder")
struct DepthMapDecoderTests {
    private let values: [Float] = (0..<48).map { 0.5 + Float($0) / 16 }

    private func error(_ compressed: [UInt8], width: Int = 8, height: Int = 6) -> DepthError.Code? {
        do {
            _ = try DepthMapDecoder.decode(compressed, width: width, height: height)
            return nil
        } catch {
            return error.code
        }
    }

    @Test("reads all three wrappings at every compression level", arguments: Wrapping.allCases, [Int32(0), 1, 6, 9])
    func wrappings(wrapping: Wrapping, level: Int32) throws {
        let map = try DepthMapDecoder.decode(wrapping.compress(bytes(of: values), level: level), width: 8, height: 6)
        #expect(map.metres == values)
        #expect(map.width == 8 && map.height == 6)
    }

    @Test("keeps the bits of NaN values")
    func bitPatterns() throws {
        let odd: [Float] = [.nan, .infinity, -.infinity, -0.0, -1, .leastNonzeroMagnitude]
        let map = try DepthMapDecoder.decode(Wrapping.gzip.compress(bytes(of: odd)), width: 3, height: 2)
        #expect(map.metres.map(\.bitPattern) == odd.map(\.bitPattern))
    }

    @Test("reads raw DEFLATE whose first bytes look like a zlib header")
    func ambiguousHeader() throws {
        let content = bytes(of: values)
        let rest = UInt16(content.count - 1)
        // A stored block of one byte whose padding yields 0x78 0x01, then the rest in a final stored block.
        let tail = [UInt8(1), UInt8(rest & 255), UInt8(rest >> 8), UInt8(~rest & 255), UInt8(~rest >> 8)] + content[1...]
        let compressed: [UInt8] = [0x78, 0x01, 0x00, 0xFE, 0xFF, content[0]] + tail
        #expect(try DepthMapDecoder.decode(compressed, width: 8, height: 6).metres == values)
        let inspector = DepthStreamInspector()
        for byte in compressed { try inspector.update([byte]) }
        #expect(try inspector.finish() == content.count)
    }

    @Test("refuses every proper prefix", arguments: Wrapping.allCases)
    func truncated(wrapping: Wrapping) {
        let compressed = wrapping.compress(bytes(of: values))
        for length in 0..<compressed.count {
            #expect(error(Array(compressed[..<length])) != nil, "\(length) of \(compressed.count) bytes")
        }
        #expect(error(Array(compressed.dropLast())) == .truncated)
    }

    @Test("refuses anything after the end, a second gzip member included", arguments: Wrapping.allCases)
    func trailing(wrapping: Wrapping) {
        let compressed = wrapping.compress(bytes(of: values))
        #expect(error(compressed + [0]) == .trailingBytes)
        #expect(error(compressed + compressed) == .trailingBytes)
    }

    @Test("refuses a length that is not width × height × 4", arguments: [0, 1, 188, 191, 193, 196, 4096])
    func wrongLength(count: Int) {
        let content = [UInt8](repeating: 7, count: count)
        #expect(error(Wrapping.gzip.compress(content)) == .shapeMismatch)
        #expect(error(Wrapping.raw.compress(content)) != nil)
    }

    @Test("refuses dimensions out of range", arguments: [(0, 6), (8, 0), (-1, 6), (1025, 1), (1, 1025), (Int.max, Int.max)])
    func dimensions(width: Int, height: Int) {
        #expect(error(Wrapping.gzip.compress(bytes(of: values)), width: width, height: height) == .dimensionsOutOfRange)
    }

    @Test("stops a gigabyte of zeros one byte over the expected length")
    func bomb() {
        let bomb = Wrapping.gzip.compress([UInt8](repeating: 0, count: 1 << 20), repetitions: 1024, level: 1)
        let start = threadSeconds()
        #expect(error(bomb, width: 256, height: 192) == .shapeMismatch)
        #expect(error(bomb, width: 1024, height: 1024) == .shapeMismatch)
        // Inflating all of it would take longer by an order of magnitude.
        #expect(threadSeconds() - start < 0.3)
    }

    @Test("refuses damaged streams, or reads a map of the right size, and never crashes")
    func mutations() {
        var random = Randomness(11)
        for wrapping in Wrapping.allCases {
            let compressed = wrapping.compress(bytes(of: values))
            for _ in 0..<2000 {
                var damaged = compressed
                for _ in 0...Int(random.unit() * 3) { damaged[Int(random.unit() * Double(damaged.count))] = random.byte() }
                if let map = try? DepthMapDecoder.decode(damaged, width: 8, height: 6) { #expect(map.metres.count == 48) }
            }
        }
    }

    @Test("refuses random bytes", arguments: [1, 2, 3, 10, 100, 10_000])
    func randomBytes(count: Int) {
        var random = Randomness(UInt64(count))
        for _ in 0..<50 { #expect(error((0..<count).map { _ in random.byte() }) != nil) }
    }
}
