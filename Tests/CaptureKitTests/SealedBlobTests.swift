import CaptureKit
import CaptureProtocol
import Crypto
import Testing

@Suite("A sealed blob")
struct SealedBlobTests {
    private let key = SymmetricKey(size: .bits256)
    private let item = SealedItem(LocalID(), .facts)

    @Test("opens to what was sealed", arguments: [0, 1, 1_000, 65_536, 65_537, 131_072, 200_000])
    func roundTrip(count: Int) throws {
        let bytes = [UInt8].noise(count)
        let sealed = try SealedBlob.seal(bytes, for: item, with: key)
        #expect(try SealedBlob.open(sealed, for: item, with: key) == bytes)
        #expect(try SealedBlob.seal(bytes, for: item, with: key) != sealed)
    }

    @Test("has the form of a sealed file")
    func sameForm() throws {
        let memory = PowerCutFiles(folder: "/store")
        memory.put(try SealedBlob.seal(.noise(70_000), for: item, with: key), at: "/store/\(item.capture).facts")
        let reader = try SealedFiles(folder: "/store", key: key, files: memory).open(item)
        #expect(try reader.read(count: .max, at: 0) == .noise(70_000))
    }

    @Test("is refused if any of its bytes was changed")
    func flipped() throws {
        let sealed = try SealedBlob.seal(.noise(30), for: item, with: key)
        for index in sealed.indices {
            for bit in 0..<8 {
                var changed = sealed
                changed[index] ^= 1 << bit
                #expect(throws: index == 8 ? SealError.unknownVersion : .notAuthentic) {
                    try SealedBlob.open(changed, for: item, with: key)
                }
            }
        }
    }

    @Test("is refused if it was cut off or extended")
    func length() throws {
        let sealed = try SealedBlob.seal(.noise(30), for: item, with: key)
        for count in 0..<sealed.count {
            #expect(throws: SealError.notAuthentic) { try SealedBlob.open(Array(sealed.prefix(count)), for: item, with: key) }
        }
        #expect(throws: SealError.notAuthentic) { try SealedBlob.open(sealed + [0], for: item, with: key) }
    }

    @Test("is refused as another kind or capture, and under another key")
    func moved() throws {
        let sealed = try SealedBlob.seal(.noise(30), for: item, with: key)
        #expect(throws: SealError.notAuthentic) { try SealedBlob.open(sealed, for: SealedItem(item.capture, .thumbnail), with: key) }
        #expect(throws: SealError.notAuthentic) { try SealedBlob.open(sealed, for: SealedItem(LocalID(), .facts), with: key) }
        #expect(throws: SealError.notAuthentic) { try SealedBlob.open(sealed, for: item, with: SymmetricKey(size: .bits256)) }
    }

    @Test("opens as version 1 was laid down")
    func vector() throws {
        // Computed apart from this library, from the table of SealedFormat, with Python's cryptography package.
        let capture = try #require(LocalID("00112233-4455-6677-8899-aabbccddeeff"))
        let key = SymmetricKey(data: [UInt8](0..<32))
        let sealed = try #require(
            Hex.decode(
                "5249414c5345414c016465666768696a6b6c6d6e6f707172737475767778797a7b7c7d7e7f80818283a27954999590d20e14"
                    + "a4723e1ecb18a2dcb7e3eced9b36a36ea7"))
        #expect(try SealedBlob.open(sealed, for: SealedItem(capture, .photo), with: key) == Array("provenance".utf8))
    }
}
