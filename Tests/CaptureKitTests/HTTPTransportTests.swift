import CaptureKit
import Testing

@Suite("A body in memory")
struct BytesBodyTests {
    @Test("is read in pieces, from its beginning for each attempt")
    func pieces() async throws {
        let body = BytesBody([UInt8](repeating: 7, count: 262_145))
        for _ in 1...2 {
            let reader = body.makeReader()
            #expect(try await reader.next()?.count == 262_144)
            #expect(try await reader.next() == [7])
            #expect(try await reader.next() == nil)
        }
    }
}
