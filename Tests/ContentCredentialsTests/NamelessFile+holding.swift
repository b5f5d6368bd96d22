import Blocking

extension NamelessFile {
    convenience init(holding bytes: [UInt8]) throws {
        try self.init()
        try append(bytes[...])
    }
}
