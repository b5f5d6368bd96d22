import Depth
import Testing

@Suite("Depth stream inspector")
struct DepthStreamInspectorTests {
    private func inspect(_ compressed: [UInt8], chunk: Int, limit: Int = DepthMap.maximumBytes) -> Result<Int, DepthError> {
        let inspector = DepthStreamInspector(limit: limit)
        do throws(DepthError) {
            for start in stride(from: 0, to: compressed.count, by: chunk) {
                try inspector.update(compressed[start..<min(start + chunk, compressed.count)])
            }
            return .success(try inspector.finish())
        } catch {
            return .failure(error)
        }
    }

    private func code(_ result: Result<Int, DepthError>) -> DepthError.Code? {
        if case .failure(let error) = result { error.code } else { nil }
    }

    @Test("counts the inflated bytes whatever the chunks", arguments: Wrapping.allCases, [1, 2, 7, 1000, 1_000_000])
    func counts(wrapping: Wrapping, chunk: Int) throws {
        var random = Randomness(5)
        let content = (0..<100_003).map { _ in random.byte() & 15 }
        #expect(try inspect(wrapping.compress(content), chunk: chunk).get() == content.count)
    }

    @Test("counts nothing inflated as nothing", arguments: Wrapping.allCases)
    func empty(wrapping: Wrapping) throws {
        #expect(try inspect(wrapping.compress([]), chunk: 1).get() == 0)
    }

    @Test("refuses a part that ends inside the stream", arguments: Wrapping.allCases)
    func truncated(wrapping: Wrapping) {
        let compressed = wrapping.compress([UInt8](repeating: 9, count: 500))
        for length in 0..<compressed.count {
            #expect(code(inspect(Array(compressed[..<length]), chunk: 3)) == .truncated, "\(length) bytes")
        }
    }

    @Test("refuses bytes after the end, in the same chunk or a later one", arguments: Wrapping.allCases, [1, 1_000_000])
    func trailing(wrapping: Wrapping, chunk: Int) {
        #expect(code(inspect(wrapping.compress([1, 2, 3, 4]) + [0], chunk: chunk)) == .trailingBytes)
    }

    @Test("accepts the limit and refuses one byte more")
    func limit() throws {
        #expect(
            try inspect(Wrapping.raw.compress([UInt8](repeating: 0, count: 100_000)), chunk: 64, limit: 100_000).get() == 100_000)
        #expect(
            code(inspect(Wrapping.raw.compress([UInt8](repeating: 0, count: 100_001)), chunk: 64, limit: 100_000)) == .tooLong)
    }

    @Test("stops a gigabyte of zeros at the limit")
    func bomb() {
        let bomb = Wrapping.gzip.compress([UInt8](repeating: 0, count: 1 << 20), repetitions: 1024, level: 1)
        let start = threadSeconds()
        #expect(code(inspect(bomb, chunk: 16_384)) == .tooLong)
        #expect(threadSeconds() - start < 0.3)
    }

    @Test("refuses bytes that are not DEFLATE")
    func garbage() {
        #expect(code(inspect(Array("this is not compressed".utf8), chunk: 4)) == .corrupt)
        #expect(code(inspect([0x1F, 0x8B, 0x00, 0x00], chunk: 1)) == .corrupt)
    }

    @Test("stays refused after an error")
    func afterError() {
        let inspector = DepthStreamInspector()
        #expect(throws: DepthError.self) { try inspector.update(Array("this is not compressed".utf8)) }
        #expect(throws: DepthError.self) { try inspector.update(Wrapping.gzip.compress([1])) }
        #expect(throws: DepthError.self) { _ = try inspector.finish() }
    }
}
