import Foundation

/// A file without a name; gone with this value.
final class ScratchFile {
    let descriptor: Int32

    init(_ bytes: [UInt8] = []) throws {
        var template = Array("\(NSTemporaryDirectory())/credentials-XXXXXX".utf8CString)
        descriptor = mkstemp(&template)
        guard descriptor >= 0 else { throw CocoaError(.fileWriteUnknown) }
        unlink(template)
        var offset = 0
        while offset < bytes.count {
            let written = bytes[offset...].withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, off_t(offset)) }
            guard written > 0 else { throw CocoaError(.fileWriteUnknown) }
            offset += written
        }
    }

    deinit { close(descriptor) }

    func bytes() throws -> [UInt8] {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw CocoaError(.fileReadUnknown) }
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
        var offset = 0
        while offset < bytes.count {
            let read = bytes[offset...].withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, off_t(offset)) }
            guard read > 0 else { throw CocoaError(.fileReadUnknown) }
            offset += read
        }
        return bytes
    }
}
