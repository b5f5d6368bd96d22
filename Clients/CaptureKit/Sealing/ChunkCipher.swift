import Crypto
import Foundation

/// Seals and opens the chunks of one sealed file or blob (``SealedFormat``).
struct ChunkCipher: Sendable {
    /// What the sealed bytes begin with.
    let header: [UInt8]
    private let key: SymmetricKey

    /// For sealing, with a new salt.
    init(sealing item: SealedItem, with storeKey: SymmetricKey) {
        let salt = SymmetricKey(size: .init(bitCount: SealedFormat.saltSize * 8)).withUnsafeBytes(Array.init)
        header = SealedFormat.magic + [SealedFormat.version] + salt
        key = Self.key(for: item, salt: salt, storeKey: storeKey)
    }

    /// For opening.
    /// - Parameter header: the first ``SealedFormat/headerSize`` of the sealed bytes, or all if there are fewer.
    init(opening item: SealedItem, header: [UInt8], with storeKey: SymmetricKey) throws(SealError) {
        guard header.count == SealedFormat.headerSize, header.starts(with: SealedFormat.magic) else { throw .notAuthentic }
        guard header[SealedFormat.magic.count] == SealedFormat.version else { throw .unknownVersion }
        self.header = header
        key = Self.key(for: item, salt: Array(header.suffix(SealedFormat.saltSize)), storeKey: storeKey)
    }

    /// - Parameter chunk: all of its ``SealedFormat/chunkSize`` bytes, fewer only in the last chunk.
    /// - Returns: cipher text and tag.
    func seal(_ chunk: some DataProtocol, number: Int64, isLast: Bool) throws -> [UInt8] {
        let box = try AES.GCM.seal(chunk, using: key, nonce: nonce(number, isLast), authenticating: header)
        var sealed: [UInt8] = []
        sealed.reserveCapacity(chunk.count + SealedFormat.tagSize)
        sealed += box.ciphertext
        sealed += box.tag
        return sealed
    }

    /// - Parameter sealed: cipher text and tag.
    /// - Throws: ``SealError`` `notAuthentic`.
    func open(_ sealed: some DataProtocol, number: Int64, isLast: Bool) throws(SealError) -> [UInt8] {
        do {
            let (text, tag) = (sealed.dropLast(SealedFormat.tagSize), sealed.suffix(SealedFormat.tagSize))
            let box = try AES.GCM.SealedBox(nonce: nonce(number, isLast), ciphertext: text, tag: tag)
            return Array(try AES.GCM.open(box, using: key, authenticating: header))
        } catch {
            throw .notAuthentic
        }
    }

    private func nonce(_ number: Int64, _ isLast: Bool) throws -> AES.GCM.Nonce {
        let counter = withUnsafeBytes(of: number.bigEndian, Array.init)
        return try AES.GCM.Nonce(data: [0, 0, 0] + counter + [isLast ? 1 : 0])
    }

    private static func key(for item: SealedItem, salt: [UInt8], storeKey: SymmetricKey) -> SymmetricKey {
        let capture = withUnsafeBytes(of: item.capture.uuid.uuid, Array.init)
        let info = Array("rial-store-v1".utf8) + [0] + capture + Array(item.kind.rawValue.utf8)
        return HKDF<SHA256>.deriveKey(inputKeyMaterial: storeKey, salt: salt, info: info, outputByteCount: 32)
    }
}
