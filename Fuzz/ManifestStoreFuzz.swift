import ManifestStore

/// libFuzzer's entry: the input as a JPEG and as an MP4, as the head of a JPEG whose store it is, and as a store by itself.
///
/// A store that is found must lie inside the input, and must be found again after its segments are reassembled. The boxes of an MP4 fill
/// it.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzManifestStore(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    inspect(input)
    inspectVideo(input)
    if let store = StoreIdentity(input), let binding = store.binding {
        precondition(binding.excluded.lowerBound >= 0 && !store.label.isEmpty, "a range out of bounds")
    }
    guard input.count < 60_000 else { return 0 }
    // A box whose size and type match its segment's header can be found, whatever its content.
    let size = input.count + 24
    let box = number(size) + Array("jumb".utf8) + number(16 + input.count) + Array("jumdc2pa".utf8) + Array("1234".utf8) + input
    let payload = Array("JP".utf8) + [2, 0x11] + number(1) + box
    let jpeg = [0xff, 0xd8, 0xff, 0xeb] + number(payload.count + 2).suffix(2) + payload + [0xff, 0xda, 0, 2]
    precondition(EmbeddedStore(jpegHead: jpeg)?.bytes == box, "a sound box was not found")
    return 0
}

private func inspect(_ jpeg: [UInt8]) {
    guard let embedded = EmbeddedStore(jpegHead: jpeg) else { return }
    precondition(embedded.range.lowerBound >= 2 && embedded.range.upperBound <= jpeg.count, "outside of the file")
    precondition(embedded.bytes.count < embedded.range.count, "more than the segments hold")
    _ = StoreIdentity(embedded.bytes)
}

private func inspectVideo(_ file: [UInt8]) {
    let found = EmbeddedVideoStore(fileLength: Int64(file.count)) { range in
        precondition(range.lowerBound >= 0 && range.upperBound <= file.count, "a read outside of the file")
        return Array(file[Int(range.lowerBound)..<Int(range.upperBound)])
    }
    guard let found else { return }
    let others = found.others.reduce(0) { $0 + $1.range.count }
    precondition(others + found.bytes.count < file.count, "boxes that overlap")
    if let binding = StoreIdentity(found.bytes)?.boxBinding { _ = found.others.filter(binding.covers) }
}

private func number(_ value: Int) -> [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) } }
