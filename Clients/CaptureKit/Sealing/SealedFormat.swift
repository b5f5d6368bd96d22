/// The sealed form of a file or of a database column, version 1.
///
/// | offset | length | content |
/// | --- | --- | --- |
/// | 0 | 8 | `RIALSEAL` in ASCII |
/// | 8 | 1 | version: 1 |
/// | 9 | 32 | salt, random for each sealing |
/// | 41 | 65,552 each | chunks of 65,536 bytes: as many bytes of cipher text, then the tag of 16 bytes |
/// | | 16 to 65,552 | the last chunk, of 0 to 65,536 bytes: cipher text, then tag. It is empty only if there is nothing else. |
///
/// Each chunk is sealed by AES-256-GCM (NIST SP 800-38D):
/// - key: HKDF-SHA256 (RFC 5869) of the store's key with the salt; its info is `rial-store-v1`, a zero byte, the capture's UUID (16 bytes),
///   and the raw value of the item's kind in UTF-8;
/// - nonce, 12 bytes: the chunk's number from 0 in 11 bytes, big-endian, then a byte that is 1 for the last chunk and 0 for the others;
/// - additional authenticated data: the 41 bytes before the first chunk.
///
/// So no chunk opens at another place, in another file, or as another item; and what is cut off or appended is noticed at the last chunk.
/// A key is used for one sealing only, hence no nonce twice.
enum SealedFormat {
    static let magic = Array("RIALSEAL".utf8)
    static let version: UInt8 = 1
    static let saltSize = 32
    static let headerSize = magic.count + 1 + saltSize
    /// Plain bytes in a chunk.
    static let chunkSize = 65_536
    static let tagSize = 16
    static let sealedChunkSize = chunkSize + tagSize
}
