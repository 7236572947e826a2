package io.encbench.conformance;

import java.nio.file.Path;
import javax.sql.DataSource;

/** A library that is driven through the bank. */
interface Library {
  /**
   * Does what applications do with it.
   *
   * @param folder the schema's files; only a library that makes the schema reads them
   */
  void run(DataSource source, Path folder, Report report) throws Exception;
}
