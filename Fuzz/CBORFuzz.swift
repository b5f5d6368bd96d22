import Attestation

/// libFuzzer's entry: any bytes, read as one item of strict CBOR.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzCBOR(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    _ = try? CBOR.decode(input[...])
    return 0
}
