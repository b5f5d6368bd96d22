import Crypto
import Foundation

@testable import CaptureKit

private let key = SymmetricKey(data: [UInt8](0..<32))
private let item = SealedItem(LocalID(UUID()), .photo)

/// libFuzzer's entry: the input as sealed bytes; and as bytes that are sealed, changed and opened.
///
/// Nothing opens that was not sealed, as a blob or as a file, and nothing that was changed. At any place of a changed file only what was
/// sealed there is read.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzSealed(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    refuse(input)
    refuse(SealedFormat.magic + [SealedFormat.version] + input)
    guard input.count > 7 else { return 0 }
    // The first bytes say how long the content is, what is changed, and where.
    let content = repeated(input[7...], count: number(input[0..<3]) % (3 * SealedFormat.chunkSize + 2))
    let place = number(input[4..<7])
    guard let sealed = try? SealedBlob.seal(content, for: item, with: key) else { preconditionFailure("not sealed") }
    precondition((try? SealedBlob.open(sealed, for: item, with: key)) == content, "the blob opens as something else")
    precondition(read(sealed, count: .max, at: 0) == content, "the file opens as something else")
    let changed = changed(sealed, in: input[3], at: place)
    if changed != sealed { refuse(changed) }
    let offset = place % (content.count + 1)
    guard let piece = read(changed, count: Int(input[3]), at: offset) else { return 0 }
    precondition(content[offset...].starts(with: piece), "read what was not sealed there")
    return 0
}

private func refuse(_ bytes: [UInt8]) {
    precondition((try? SealedBlob.open(bytes, for: item, with: key)) == nil, "opened a blob that was not sealed")
    precondition(read(bytes, count: .max, at: 0) == nil, "opened a file that was not sealed")
}

private func changed(_ sealed: [UInt8], in way: UInt8, at place: Int) -> [UInt8] {
    var bytes = sealed
    let place = place % bytes.count
    switch way % 4 {
    case 0: bytes[place] ^= 1 << (way >> 5)
    case 1: bytes.removeLast(place + 1)
    case 2: bytes += repeated(sealed.suffix(place + 1), count: place + 1)
    default:
        // The first chunk in the place of another, or another's part of it.
        let first = SealedFormat.headerSize..<min(SealedFormat.headerSize + SealedFormat.sealedChunkSize, bytes.count)
        let start = min(place / SealedFormat.sealedChunkSize * SealedFormat.sealedChunkSize + SealedFormat.headerSize, bytes.count)
        bytes.replaceSubrange(start..<min(start + first.count, bytes.count), with: bytes[first])
    }
    return bytes
}

private func read(_ bytes: [UInt8], count: Int, at offset: Int) -> [UInt8]? {
    let reader = try? SealedFileReader(MemoryFile(bytes: bytes), item: item, storeKey: key)
    return try? reader?.read(count: count, at: Int64(offset))
}

private func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }

private func repeated(_ bytes: ArraySlice<UInt8>, count: Int) -> [UInt8] {
    var result = Array(bytes)
    while result.count < count { result += result }
    return Array(result.prefix(count))
}

private struct MemoryFile: ReadableFile {
    let bytes: [UInt8]
    var sizeBytes: Int64 { Int64(bytes.count) }
    func read(_ count: Int, at offset: Int64) -> [UInt8] { Array(bytes.dropFirst(Int(offset)).prefix(count)) }
}
