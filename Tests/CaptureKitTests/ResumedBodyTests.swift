import CaptureProtocol
import Foundation
import Testing

@testable import CaptureKit

@Suite("A body that is read from a byte on")
struct ResumedBodyTests {
    private static func bytes(_ reader: any HTTPBodyReader) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        while let piece = try await reader.next() {
            #expect((1...262_144).contains(piece.count))
            bytes += piece
        }
        return bytes
    }

    @Test("is the end of the sealed capture's body, at and around the edges of chunks and parts", arguments: [131_072, 131_073, 200_000])
    func sealed(photoBytes: Int) async throws {
        let rig = try StoreRig()
        let store = try await rig.open()
        var content = SampleContent()
        content.photo = .noise(photoBytes)
        content.depth = .noise(65_536, seed: 2)
        let body = try store.upload(of: try await store.addSample(content)).body
        let whole = try await allBytes(body)
        #expect(Int64(whole.count) == body.contentLength)
        // Where photo and depth map begin in the body.
        let photo = try #require(whole.firstRange(of: content.photo)).lowerBound
        let depth = try #require(whole.firstRange(of: content.depth)).lowerBound
        var places: Set<Int> = [0, 1, whole.count - 1, whole.count]
        for start in [photo, photo + photoBytes, depth, depth + 65_536] { places.formUnion(start - 1...start + 1) }
        for chunk in 1...3 { for start in [photo, depth] { places.formUnion(start + chunk * 65_536 - 1...start + chunk * 65_536 + 1) } }
        for place in places.sorted() where (0...whole.count).contains(place) {
            #expect(try await Self.bytes(body.makeReader(from: Int64(place))) == Array(whole[place...]), "from \(place)")
        }
        #expect(try rig.content().count == 5)
    }

    @Test("opens no chunk before it")
    func opensNothingBefore() async throws {
        let rig = try StoreRig()
        let store = try await rig.open()
        var content = SampleContent()
        content.photo = .noise(300_000)
        let capture = try await store.addSample(content)
        let body = try store.upload(of: capture).body
        let whole = try await allBytes(body)
        let photo = try #require(whole.firstRange(of: content.photo)).lowerBound
        let file = URL(fileURLWithPath: rig.path + "/content/\(capture.id).photo")
        var sealed = try Data(contentsOf: file)
        sealed[SealedFormat.headerSize + 10] ^= 1
        try sealed.write(to: file)
        let intact = try store.upload(of: capture).body
        #expect(try await Self.bytes(intact.makeReader(from: Int64(photo + 65_536))) == Array(whole[(photo + 65_536)...]))
        await #expect(throws: SealError.notAuthentic) { try await Self.bytes(intact.makeReader(from: Int64(photo + 65_535))) }
    }

    @Test("is the end of a body whose parts only read from their beginning", arguments: [0, 1, 5, 6, 7, 11, 12])
    func skipping(offset: Int) async throws {
        let source = PieceSource([[1, 2, 3], [4, 5, 6]])
        let contents: [PartContent] = [.source(source), .bytes([7, 8, 9]), .source(PieceSource([[10, 11, 12]]))]
        #expect(try await Self.bytes(SegmentReader(contents, from: Int64(offset))) == (1...12).dropFirst(offset).map { UInt8($0) })
        let all = (1...12).map { UInt8($0) }
        #expect(try await Self.bytes(BytesBody(all).makeReader(from: Int64(offset))) == Array(all.dropFirst(offset)))
    }
}
