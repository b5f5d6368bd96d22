import Foundation
import Testing

@testable import Blocking

@Suite("Unnamed files")
struct NamelessFileTests {
    @Test("return the written bytes, whole or in part, and no more")
    func contents() throws {
        let file = try NamelessFile()
        try file.append([1, 2, 3][...])
        try file.append([4, 5])
        #expect(try file.bytes() == [1, 2, 3, 4, 5])
        #expect(try file.bytes(1..<3) == [2, 3])
        #expect(try file.bytes(4..<100) == [5])
        #expect(try file.bytes(9..<12).isEmpty)
    }

    @Test("have no name, and are not inherited by other programs")
    func nameless() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("rial-nameless-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = try NamelessFile(in: folder.path)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
        #expect(fcntl(file.descriptor, F_GETFD) & FD_CLOEXEC != 0)
    }

    @Test("show whether a disk takes so many bytes, and leave none there", arguments: [0, 1, (3 << 20) + 5] as [Int64])
    func probe(sizeBytes: Int64) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("rial-probed-\(UUID().uuidString)")
        #expect { try NamelessFile.probe(folder.path, sizeBytes: sizeBytes) } throws: { ($0 as? NamelessFile.Failure)?.code == ENOENT }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try NamelessFile.probe(folder.path, sizeBytes: sizeBytes)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    @Test("that cannot be created throw the reason")
    func noFolder() {
        #expect { try NamelessFile(in: "/does/not/exist") } throws: { ($0 as? NamelessFile.Failure)?.code == ENOENT }
    }

    @Test("that cannot be written throw the reason")
    func full() throws {
        let file = try NamelessFile()
        // Writes to a descriptor that is open only for reading fail.
        let other = open("/dev/null", O_RDONLY)
        defer { close(other) }
        #expect(dup2(other, file.descriptor) == file.descriptor)
        #expect { try file.append([1]) } throws: { ($0 as? NamelessFile.Failure)?.code == EBADF }
    }

    @Test(
        "fail for a while only where disk or system have no room or are at fault",
        arguments: [
            (ENOSPC, true), (EDQUOT, true), (EMFILE, true), (ENFILE, true), (EIO, true), (EROFS, true), (ENOENT, true), (Int32(0), false),
            (EBADF, false), (EINVAL, false),
        ])
    func transient(code: Int32, isTransient: Bool) {
        #expect(NamelessFile.Failure(code: code).isTransient == isTransient)
    }
}
